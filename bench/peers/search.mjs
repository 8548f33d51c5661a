// search: the queries of search-work.mjs, asked of an engine that npm has. Prints one line of JSON.
//
//   node bench/peers/run.mjs search --engine sqlite-vec --rows 100000 --dims 512 --queries 100

import { parseArgs } from "node:util";
import { makeQueries, makeRows, timeQueries } from "./search-work.mjs";
import { versionOf } from "./harness.mjs";

const text = { type: "string" };
const { values } = parseArgs({ options: { engine: text, rows: text, dims: text, queries: text } });
const size = { rows: Number(values.rows), dims: Number(values.dims), queries: Number(values.queries) };
const rows = makeRows(size);
const queries = makeQueries(rows, size);
const vectorOf = (row) => rows.vectors.subarray(row * size.dims, (row + 1) * size.dims);
const bytesOf = (vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

async function sqliteVec() {
  const { DatabaseSync } = await import("node:sqlite");
  const { getLoadablePath } = await import("sqlite-vec");
  const db = new DatabaseSync(":memory:", { allowExtension: true });
  db.loadExtension(getLoadablePath());
  db.exec(`create virtual table vec using vec0(embedding float[${size.dims}] distance_metric=cosine)`);
  const insert = db.prepare("insert into vec (rowid, embedding) values (?, ?)");
  db.exec("begin");
  for (let row = 0; row < size.rows; row += 1) insert.run(BigInt(row), bytesOf(vectorOf(row)));
  db.exec("commit");
  const find = db.prepare("select rowid from vec where embedding match ? order by distance limit 10");
  return ({ vector }) => find.all(bytesOf(vector)).map((one) => Number(one.rowid));
}

async function minisearch() {
  const { default: MiniSearch } = await import("minisearch");
  const index = new MiniSearch({ fields: ["text"] });
  index.addAll(rows.texts.map((one, id) => ({ id, text: one })));
  return ({ words }) => index.search(words.join(" ")).slice(0, 10).map((one) => one.id);
}

async function orama() {
  const { create, insertMultiple, search } = await import("@orama/orama");
  const db = create({ schema: { text: "string", embedding: `vector[${size.dims}]` } });
  const documents = rows.texts.map((one, row) => ({ id: String(row), text: one, embedding: [...vectorOf(row)] }));
  await insertMultiple(db, documents, 5000);
  return ({ words, vector }) =>
    search(db, {
      mode: "hybrid",
      term: words.join(" "),
      vector: { value: [...vector], property: "embedding" },
      similarity: 0,
      limit: 10,
    }).hits.map((hit) => Number(hit.id));
}

const engines = { "sqlite-vec": sqliteVec, minisearch, orama };
const packages = { "sqlite-vec": "sqlite-vec", minisearch: "minisearch", orama: "@orama/orama" };
try {
  const search = await engines[values.engine]();
  const { answers: _, ...times } = timeQueries(queries, search);
  console.log(JSON.stringify({ peer: values.engine, version: versionOf(packages[values.engine]), ...times }));
} catch (error) {
  console.log(JSON.stringify({ peer: values.engine, error: String(error?.message ?? error).slice(0, 500) }));
}
