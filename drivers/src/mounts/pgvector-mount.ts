// pgvector mount: a table of a PostgreSQL database that has a column of vectors, below /mnt/NAME, read-only.
//
//   list("/mnt/facts")                    the ids of the rows, by page
//   read("/mnt/facts/ID")                 one row: { id, text, data }
//   search("/mnt/facts", "dark colours")  the nearest by meaning, with the configured embeddings
//
// PGVECTOR-MOUNT-1  Only what the declaration names is read: one table, in a read-only session (postgres-session.ts).
//     What is asked for is a parameter; names are quoted, types are those that the database says.
// PGVECTOR-MOUNT-2  The vector itself is not shown, and rows have a limit of bytes that holds in the database.
// PGVECTOR-MOUNT-3  Only config.yaml declares one: what its user may read, the operator has decided.

import {
  SysError,
  type Connector,
  type DeviceContext,
  type EmbeddingDriver,
  type Json,
  type MountRequest,
  type vectorMetrics,
} from "@aos/protocol";
import type { Client } from "pg";
import { resolveByMachine, type Resolve } from "../web/resolve.ts";
import {
  connector,
  isPlainName,
  MOST_BYTES,
  MOST_ENTRIES,
  noFile,
  type DeclaredMount,
} from "./connector.ts";
import { inReadOnlySession, postgresReach, quotedName } from "./postgres-session.ts";
import { MOST_HITS, queryVector, USUAL_HITS } from "./vector-mount.ts";

type Metric = (typeof vectorMetrics)[number];
type PgvectorDeclaration = Extract<DeclaredMount["declaration"], { driver: "pgvector" }>;

/** Its operator, and a score from 0 to 1 of what it says. */
const metrics: { readonly [Name in Metric]: readonly [string, (distance: number) => number] } = {
  cosine: ["<=>", (distance) => 1 - distance],
  l2: ["<->", (distance) => 1 / (1 + distance)],
  inner: ["<#>", (negative) => -negative],
};

interface VectorTableRow {
  readonly id: string;
  readonly text: string | null;
  readonly data: Json;
  readonly distance: number | null;
}

export function pgvectorMount(
  declared: DeclaredMount<PgvectorDeclaration>,
  embeddings: EmbeddingDriver | undefined,
  resolve: Resolve = resolveByMachine,
): Connector {
  const { name, declaration } = declared;
  const [operator, scoreOf] = metrics[declaration.metric];
  const inTable = <Result>(
    context: DeviceContext,
    use: (table: NamedTable) => Promise<Result>,
  ): Promise<Result> =>
    inReadOnlySession(declaration, { name, resolve, context }, async (client) =>
      use(await namedTable(client, declaration)),
    );
  const reach = postgresReach(declaration);
  return connector(declared, {
    ...reach,
    target: `${reach.target} ${declaration.table}`,
    egress: true,
    async list({ path, cursor, limit }, context) {
      if (path !== "") throw noFile(path);
      const most = Math.min(limit ?? MOST_ENTRIES, MOST_ENTRIES);
      const ids = await inTable(context, (table) => idsAfter(table, cursor ?? "", most + 1));
      const shown = ids.slice(0, most);
      const next = ids.length > most ? shown.at(-1)! : null;
      return { paths: shown.filter(isPlainName), next };
    },
    async read({ path }, context) {
      if (path === "") throw new SysError("EINVAL", "it is a folder: list it, or search it");
      if (!isPlainName(path)) throw noFile(path);
      const row = await inTable(context, (table) => rowOf(table, path));
      if (row === undefined) throw noFile(path);
      return { id: row.id, text: row.text, data: row.data };
    },
    async search(request: MountRequest, context) {
      const vector = await queryVector(request, context, embeddings);
      const most = Math.min(request.limit ?? USUAL_HITS, MOST_HITS);
      const rows = await inTable(context, (table) => nearest(table, { operator, vector, most }));
      const found = rows
        .filter(({ id }) => isPlainName(id))
        .map(({ distance, ...row }) => ({
          path: row.id,
          data: { ...row },
          score: Math.min(1, Math.max(0, scoreOf(Number(distance)))),
        }));
      return { found, next: null };
    },
  });
}

/** A table whose columns are there; its names quoted, its types as the database writes them. */
interface NamedTable {
  readonly client: Client;
  readonly from: string;
  readonly id: { readonly name: string; readonly type: string };
  readonly text: string;
  /** Where its operators are. */
  readonly vector: { readonly name: string; readonly type: string; readonly schema: string };
  readonly hidden: readonly string[];
}

/** PGVECTOR-MOUNT-1. */
async function namedTable(client: Client, declaration: PgvectorDeclaration): Promise<NamedTable> {
  const { schema, table, id, text, vector } = declaration;
  const { rows } = await client.query<{ name: string; type: string; base: string; in: string }>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       t.typname AS base, tn.nspname AS in
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_type t ON t.oid = a.atttypid JOIN pg_namespace tn ON tn.oid = t.typnamespace
     WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped`,
    [schema, table],
  );
  if (rows.length === 0) throw new SysError("EUPSTREAM", `there is no table ${schema}.${table}`);
  const column = (name: string) => {
    const found = rows.find((one) => one.name === name);
    if (found === undefined)
      throw new SysError("EUPSTREAM", `${schema}.${table} has no column ${name}`);
    return found;
  };
  const vectors = column(vector);
  if (!["vector", "halfvec"].includes(vectors.base))
    throw new SysError("EUPSTREAM", `${schema}.${table}.${vector} is ${vectors.type}, no vector`);
  return {
    client,
    from: `${quotedName(schema)}.${quotedName(table)}`,
    id: { name: quotedName(id), type: column(id).type },
    text: quotedName(column(text).name),
    vector: { name: quotedName(vector), type: vectors.type, schema: quotedName(vectors.in) },
    hidden: [id, text, ...rows.filter(({ base }) => isVector(base)).map(({ name }) => name)],
  };
}

const isVector = (type: string): boolean => ["vector", "halfvec", "sparsevec"].includes(type);

async function idsAfter(
  { client, from, id }: NamedTable,
  cursor: string,
  limit: number,
): Promise<string[]> {
  const after = cursor === "" ? "" : `WHERE ${id.name} > $2::text::${id.type}`;
  const { rows } = await ofOwnType(
    client.query<{ id: string }>(
      `SELECT ${id.name}::text AS id FROM ${from} ${after} ORDER BY ${id.name} LIMIT $1`,
      cursor === "" ? [limit] : [limit, cursor],
    ),
    () => new SysError("EINVAL", "the cursor does not belong to this mount"),
  );
  return rows.map((row) => row.id);
}

async function rowOf(table: NamedTable, id: string): Promise<VectorTableRow | undefined> {
  const { from } = table;
  const where = `WHERE ${table.id.name} = $3::text::${table.id.type}`;
  const [row] = await ofOwnType(
    shownRows(table, `SELECT *, 0::float8 AS aos_distance FROM ${from} ${where} LIMIT 1`, [id]),
    () => noFile(id),
  );
  return row;
}

function nearest(
  table: NamedTable,
  { operator, vector, most }: { operator: string; vector: readonly number[]; most: number },
): Promise<VectorTableRow[]> {
  const { name, type, schema } = table.vector;
  const distance = `${name} OPERATOR(${schema}.${operator}) $3::text::${type}`;
  const inner = `SELECT *, (${distance})::float8 AS aos_distance FROM ${table.from}
    WHERE ${name} IS NOT NULL ORDER BY ${distance} LIMIT ${most}`;
  return shownRows(table, inner, [JSON.stringify(vector)]);
}

/** PGVECTOR-MOUNT-2. The first row always comes, empty where it alone is too large. */
async function shownRows(
  { client, id, text, hidden }: NamedTable,
  select: string,
  values: readonly unknown[],
): Promise<VectorTableRow[]> {
  const { rows } = await client.query<VectorTableRow & { bytes: string }>(
    `SELECT id, CASE WHEN bytes > $1 THEN NULL ELSE text END AS text,
       CASE WHEN bytes > $1 THEN NULL ELSE data END AS data, aos_distance AS distance, bytes
     FROM (SELECT *, row_number() OVER (ORDER BY aos_distance) AS place,
         sum(bytes) OVER (ORDER BY aos_distance ROWS UNBOUNDED PRECEDING) AS total
       FROM (SELECT *, octet_length(data::text) + coalesce(octet_length(text), 0) AS bytes
         FROM (SELECT q.${id.name}::text AS id, q.${text}::text AS text, aos_distance,
             to_jsonb(q) - $2::text[] AS data
           FROM (${select}) AS q) AS r) AS s) AS u
     WHERE place = 1 OR total <= $1 ORDER BY place`,
    [MOST_BYTES, [...hidden, "aos_distance"], ...values],
  );
  if (Number(rows[0]?.bytes ?? 0) > MOST_BYTES)
    throw new SysError("EINVAL", `a row has more than ${MOST_BYTES} bytes`);
  return rows.map(({ id, text, data, distance }) => ({ id, text, data, distance }));
}

/** An id that is no value of its column's type is of no row. */
const ofOwnType = async <Result>(asked: Promise<Result>, other: () => SysError): Promise<Result> =>
  asked.catch((error: unknown) => {
    throw (error as { code?: string }).code?.startsWith("22") === true ? other() : error;
  });
