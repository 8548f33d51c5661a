// PostgreSQL mount: the tables of a schema below /mnt/NAME, read-only.
//
//   list("/mnt/db")                    the tables and views, as files
//   read("/mnt/db/users", { limit })   a page of rows: { rows, next }
//   search("/mnt/db", "SELECT …")      the rows of one SELECT
//
// POSTGRES-MOUNT-1  Each call has its own connection and one read-only transaction, which is rolled back. What is
//     asked travels as one statement of the extended protocol: a second one, and so a COMMIT, is a syntax error.
// POSTGRES-MOUNT-2  The time of a statement, its rows and its bytes are limited in the database, before they travel.
// POSTGRES-MOUNT-3  Only config.yaml declares one: what its user may read, the operator has decided.
// POSTGRES-MOUNT-4  The addresses of its host are checked as those of a URL (web/resolve.ts), and the connection goes
//     to one of them: a non-public address behind a name is asked of the gate, and a changed DNS answer has no effect.
//     An address that is written in the declaration is within it.

import { isIP } from "node:net";
import {
  SysError,
  type DeviceContext,
  type Json,
  type Connector,
  type MountRequest,
} from "@aos/protocol";
import { Client } from "pg";
import { withAbort } from "../web/with-abort.ts";
import { checkedAddresses, resolveByMachine, type Resolve } from "../web/resolve.ts";
import {
  connector,
  MOST_BYTES,
  MOST_ENTRIES,
  USUAL_TIMEOUT_MS,
  type DeclaredMount,
} from "./connector.ts";
import { coversWeb } from "./mount-reach.ts";
import { readCursor } from "./sqlite-mount.ts";

type PostgresDeclaration = Extract<DeclaredMount["declaration"], { driver: "postgres" }>;

const USUAL_ROWS = 100;
const CONNECT_MS = 10_000;
/** As the tool of this name would have it in its environment: what the secret is bound to. */
const PASSWORD_VARIABLE = "PGPASSWORD";

export function postgresMount(
  declared: DeclaredMount<PostgresDeclaration>,
  resolve: Resolve = resolveByMachine,
): Connector {
  const { name, declaration } = declared;
  const { host, port, database, user, password, schema } = declaration;
  const inReadOnly = <Result>(
    context: DeviceContext,
    use: (client: Client) => Promise<Result>,
  ): Promise<Result> => readOnly(declaration, { name, resolve, context }, use);
  return connector(declared, {
    target: `${user}@${host}:${port}/${database}`,
    egress: true,
    covers: coversWeb(`${isIP(host) === 6 ? `[${host}]` : host}:${port}/`),
    needs: () =>
      password === undefined ? [] : [{ kind: "secret", resource: password, verb: "use" }],
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

/** POSTGRES-MOUNT-1. */
async function readOnly<Result>(
  declaration: PostgresDeclaration,
  { name, resolve, context }: { name: string; resolve: Resolve; context: DeviceContext },
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { host, port, database, user, password, ssl, timeout } = declaration;
  const address = await addressOf(declaration, context, resolve);
  const client = new Client({
    host: address,
    port,
    database,
    user,
    ...(password === undefined
      ? {}
      : {
          password: context.secret(password, {
            kind: "variable",
            tool: `mnt.${name}`,
            variable: PASSWORD_VARIABLE,
          }),
        }),
    // The certificate must be for the name that was declared.
    ssl: ssl
      ? { rejectUnauthorized: true, ...(isIP(host) === 0 ? { servername: host } : {}) }
      : false,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: timeout ?? USUAL_TIMEOUT_MS,
    application_name: "aos",
  });
  client.on("error", () => {}); // the pending query fails with it
  const stop = () => void client.end().catch(() => {});
  context.signal.addEventListener("abort", stop, { once: true });
  try {
    await client.connect();
    await client.query("BEGIN READ ONLY");
    return await use(client);
  } catch (error) {
    throw told(error);
  } finally {
    context.signal.removeEventListener("abort", stop);
    await client.end().catch(() => {});
  }
}

/** POSTGRES-MOUNT-4. The first of them: who has several servers behind a name declares one. */
async function addressOf(
  { host, port }: PostgresDeclaration,
  context: DeviceContext,
  resolve: Resolve,
): Promise<string> {
  const named = isIP(host) === 6 ? `[${host}]` : host;
  const origin = `http://${named}:${port}`;
  const target = {
    url: `${origin}/`,
    scheme: "http",
    host: named,
    port,
    origin,
    path: "/",
  } as const;
  const checking = checkedAddresses({ ...target, query: "" }, "get", context, resolve);
  try {
    return (await withAbort(checking, context.signal))[0]!;
  } catch (error) {
    if (error instanceof SysError) throw error;
    context.signal.throwIfAborted();
    throw new SysError(
      "EUPSTREAM",
      `${host}: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`,
    );
  }
}

const tablesOf = async (client: Client, schema: string): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1",
    [schema],
  );
  return rows.map(({ name }) => name).filter((name) => !name.includes("/"));
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

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
  const order = rows.map(({ name }) => quoted(name)).join(", ");
  return `SELECT * FROM ${quoted(schema)}.${quoted(table)}${order === "" ? "" : ` ORDER BY ${order}`}`;
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

/** What the database says of the statement is the caller's to read; what it says of itself is EUPSTREAM. */
function told(error: unknown): unknown {
  if (error instanceof SysError) return error;
  const { code = "", message } = error as { code?: string; message: string };
  if (code === "57014") return new SysError("ETIMEDOUT", "the statement took too long");
  if (/^(?:42|22|25|0A|21)/.test(code)) return new SysError("EINVAL", message);
  return new SysError("EUPSTREAM", message);
}
