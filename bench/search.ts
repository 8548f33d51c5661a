// search: 100,000 rows of 512 numbers and twenty words, searched by words and vector together; the embedding of the query
// is not timed. Ours with the daemon's heap and with Node's own, beside sqlite-vec (vectors alone), MiniSearch (words
// alone) and Orama (both) in the same run. `found` is how often the row that a query was made of is among the first ten;
// `nearest`, how many of the ten nearest rows the int8 scan has.

import { readFileSync } from "node:fs";
import { memoryContentOf } from "../kernel/src/memory/content.ts";
import { readQuery } from "../kernel/src/memory/query.ts";
import { rankCandidates, type Weights } from "../kernel/src/memory/retrieve.ts";
import { IndexSegment } from "../kernel/src/memory/segment.ts";
import { quantize } from "../kernel/src/memory/vector-table.ts";
import { inChild } from "./child.ts";
import { optionOf } from "./option.ts";
import { runPeer } from "./peers/run.mjs";
import { makeQueries, makeRows, nearest, timeQueries } from "./peers/search-work.mjs";

type Size = { readonly rows: number; readonly dims: number; readonly queries: number };

interface Figures {
  readonly p50: number;
  readonly p99: number;
  readonly found: number;
}

const EXACT_QUERIES = 30;
const file = new URL("../kernel/src/memory/weights.json", import.meta.url);

/** In a process of its own. */
export async function runSearch(size: Size): Promise<Figures & { readonly nearest: number }> {
  const { weights } = JSON.parse(readFileSync(file, "utf8")) as { weights: Weights };
  const rows = makeRows(size);
  const queries = makeQueries(rows, size);
  const segment = new IndexSegment();
  for (const [row, text] of rows.texts.entries()) {
    const path = `/mem/shared/x/${row}`;
    const content = memoryContentOf(path, text);
    const [at] = segment.put({ path, content, writtenAt: row, writer: "", label: "" });
    segment.embed(at!, quantize(rows.vectors.subarray(row * size.dims, (row + 1) * size.dims)));
  }
  const rowOf = (path: string): number => Number(path.slice(path.lastIndexOf("/") + 1));
  const { answers: _, ...figures } = timeQueries(queries, ({ words, vector }) => {
    const query = readQuery(words.join(" "), { vector: quantize(vector) });
    return rankCandidates({ scope: [{ segment }], query, weights, limit: 10 })
      .found.slice(0, 10)
      .map(({ row }) => rowOf(row.file.path));
  });
  let same = 0;
  for (const { vector } of queries.slice(0, EXACT_QUERIES)) {
    const exact = new Set(nearest(rows.vectors, size.dims, vector, 10));
    const near = [...segment.similarities(quantize(vector))!].map((value, row) => ({ value, row }));
    near.sort((a, b) => b.value - a.value);
    same += near.slice(0, 10).filter(({ row }) => exact.has(row)).length;
  }
  return { ...figures, nearest: same / 10 / Math.min(EXACT_QUERIES, queries.length) };
}

export async function search(args: readonly string[]): Promise<Record<string, unknown>> {
  const size = { rows: Number(optionOf(args, "--rows") ?? 100_000), dims: 512, queries: 200 };
  const peer = async (engine: string, queries: number): Promise<unknown> =>
    runPeer("search", { ...size, queries, engine });
  return {
    ours: await inChild<Figures>("search", size),
    oursOnNodesHeap: await inChild<Figures>("search", { ...size, heap: "node" }),
    sqliteVec: await peer("sqlite-vec", 100),
    minisearch: await peer("minisearch", 200),
    orama: await peer("orama", 50),
    rows: size.rows,
    dims: size.dims,
    unit: "ms a query",
  };
}
