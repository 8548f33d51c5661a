// PostgreSQL mount: the tables of a schema below /mnt/NAME, read-only.
//
//   list("/mnt/db")                    the tables and views, as files
//   read("/mnt/db/users", { limit })   a page of rows: { rows, next }
//   search("/mnt/db", "SELECT …")      the rows of one SELECT
//
// A call has a connection of its own (postgres-session.ts).
//
// POSTGRES-MOUNT-2  The time of a statement, its rows and its bytes are limited in the database, before they travel.
// POSTGRES-MOUNT-3  Only config.yaml declares one: what its user may read, the operator has decided.

import {
  SysError,
  type DeviceContext,
  type Json,
  type Connector,
  type MountRequest,
} from "@aos/protocol";
import type { Client } from "pg";
import { resolveByMachine, type Resolve } from "../web/resolve.ts";
import { connector, MOST_BYTES, MOST_ENTRIES, type DeclaredMount } from "./connector.ts";
import { inReadOnlySession, postgresReach, quotedName } from "./postgres-session.ts";
import { readCursor } from "./sqlite-mount.ts";

type PostgresDeclaration = Extract<DeclaredMount["declaration"], { driver: "postgres" }>;

const USUAL_ROWS = 100;

export function postgresMount(
  declared: DeclaredMount<PostgresDeclaration>,
  resolve: Resolve = resolveByMachine,
): Connector {
  const { name, declaration } = declared;
  const { schema } = declaration;
  const inReadOnly = <Result>(
    context: DeviceContext,
    use: (client: Client) => Promise<Result>,
  ): Promise<Result> => inReadOnlySession(declaration, { name, resolve, context }, use);
  return connector(declared, {
    ...postgresReach(declaration),
    egress: true,
    async list({ path }, context) {
      if (path !== "") throw new SysError("ENOENT", `there is no folder ${path}`);
      const names = await inReadOnly(context, (client) => tablesOf(client, schema));
      return { paths: names, next: null };
    },
    async read(request, context) {
      if (request.path === "")
        throw new SysError("EINVAL", "it is a folder: list it, and read a table");
      return inReadOnly(context, async (client) => {
        const table = await orderedTable(client, schema, request.path);
        return (await pageOf(client, table, request)) as unknown as Json;
      });
    },
    async search(request, context) {
      if (request.path !== "")
        throw new SysError("EINVAL", "a SELECT is searched at the mount itself");
      const { rows, next } = await inReadOnly(context, (client) =>
        pageOf(client, oneSelect(request.query ?? ""), request),
      );
      return { found: rows.map((row) => ({ path: "", data: row, score: 1 })), next };
    },
  });
}

const tablesOf = async (client: Client, schema: string): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1",
    [schema],
  );
  return rows.map(({ name }) => name).filter((name) => !name.includes("/"));
};

/** In the order of its primary key, where it has one, so that pages follow each other. */
async function orderedTable(client: Client, schema: string, table: string): Promise<string> {
  if (!(await tablesOf(client, schema)).includes(table))
    throw new SysError("ENOENT", `there is no table ${table}`);
  const { rows } = await client.query<{ name: string }>(
    `SELECT a.attname AS name FROM pg_index i
     JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
     WHERE i.indisprimary AND n.nspname = $1 AND c.relname = $2
     ORDER BY array_position(i.indkey::int2[], a.attnum)`,
    [schema, table],
  );
  const order = rows.map(({ name }) => quotedName(name)).join(", ");
  return `SELECT * FROM ${quotedName(schema)}.${quotedName(table)}${order === "" ? "" : ` ORDER BY ${order}`}`;
}

function oneSelect(query: string): string {
  const text = query.trim().replace(/;\s*$/, "");
  if (/^(select|with|values|table)\b/i.test(text)) return text;
  throw new SysError("EINVAL", "only SELECT is allowed");
}

/** POSTGRES-MOUNT-2. The first row always comes, empty where it alone is too large. */
async function pageOf(
  client: Client,
  select: string,
  { cursor, limit }: MountRequest,
): Promise<{ rows: Json[]; next: string | null }> {
  const offset = readCursor(cursor);
  const most = Math.min(limit ?? USUAL_ROWS, MOST_ENTRIES);
  const { rows } = await client.query<{ text: string | null; all: string }>(
    `SELECT CASE WHEN bytes > $3 THEN NULL ELSE line END AS text, count AS all FROM (
       SELECT line, octet_length(line) AS bytes, count(*) OVER () AS count,
         row_number() OVER () AS place,
         sum(octet_length(line)) OVER (ROWS UNBOUNDED PRECEDING) AS total
       FROM (SELECT row_to_json(q)::text AS line FROM (${select}\n) AS q LIMIT $1 OFFSET $2) AS r
     ) AS s WHERE place = 1 OR (total <= $3 AND place <= $1 - 1)`,
    [most + 1, offset, MOST_BYTES],
  );
  if (rows[0] !== undefined && rows[0].text === null)
    throw new SysError("EINVAL", `a row has more than ${MOST_BYTES} bytes`);
  const shown = rows.map(({ text }) => JSON.parse(text!) as Json);
  const hasMore = rows[0] !== undefined && Number(rows[0].all) > shown.length;
  return { rows: shown, next: hasMore ? String(offset + shown.length) : null };
}
