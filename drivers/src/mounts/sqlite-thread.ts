// The thread that reads a mounted SQLite file: one job, one message (SQLITE-MOUNT-1).

import { constants, DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { Json, JsonObject } from "@aos/protocol";

export interface SqliteJob {
  readonly file: string;
  readonly call: "list" | "read" | "search";
  readonly table: string;
  readonly query: string;
  readonly offset: number;
  readonly limit: number;
  readonly mostBytes: number;
}

export interface SqliteAnswer {
  readonly names?: string[];
  readonly page?: { columns: string[]; rows: JsonObject[]; next: string | null };
}

/** What a SELECT does; everything else is refused. */
const ALLOWED: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
]);

class Refusal extends Error {
  readonly code: "ENOENT" | "EINVAL";

  constructor(code: "ENOENT" | "EINVAL", message: string) {
    super(message);
    this.code = code;
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function answer(job: SqliteJob): SqliteAnswer {
  const database = new DatabaseSync(job.file, {
    readOnly: true,
    allowExtension: false,
    enableDoubleQuotedStringLiterals: false,
  });
  try {
    const names = (
      database
        .prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
        .all() as { name: string }[]
    )
      .map(({ name }) => name)
      .filter((name) => !name.startsWith("sqlite_") && !name.includes("/"));
    if (job.call === "list") return listed(job, names);
    if (job.table !== "" && !names.includes(job.table))
      throw new Refusal("ENOENT", `there is no table ${job.table}`);
    database.setAuthorizer((action, first, second) =>
      ALLOWED.has(action) && !(action === constants.SQLITE_FUNCTION && isUnsafe(second))
        ? constants.SQLITE_OK
        : constants.SQLITE_DENY,
    );
    return { page: pageOf(database, job) };
  } finally {
    database.close();
  }
}

const isUnsafe = (name: string | null): boolean =>
  ["load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"].includes(name ?? "");

function listed({ table }: SqliteJob, names: string[]): SqliteAnswer {
  if (table === "") return { names };
  throw new Refusal("ENOENT", `there is no folder ${table}`);
}

function pageOf(
  database: DatabaseSync,
  { call, table, query, offset, limit, mostBytes }: SqliteJob,
) {
  const isSql = call === "search" && table === "";
  if (call === "read" && table === "")
    throw new Refusal("EINVAL", "it is a folder: list it, and read a table");
  const statement = isSql
    ? database.prepare(oneSelect(database, query))
    : database.prepare(`SELECT * FROM ${quoted(table)}`);
  const columns = statement.columns().map(({ name }) => name ?? "");
  const words = call === "search" && !isSql ? wordsOf(query) : [];
  const rows: JsonObject[] = [];
  let bytes = 0;
  let seen = 0;
  for (const row of statement.iterate() as Iterable<Record<string, SQLOutputValue>>) {
    const shown = Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, plain(value)]),
    );
    const text = JSON.stringify(shown);
    if (words.some((word) => !text.toLowerCase().includes(word))) continue;
    if (seen++ < offset) continue;
    if (rows.length === limit) return { columns, rows, next: String(offset + rows.length) };
    bytes += text.length;
    if (bytes > mostBytes) {
      if (rows.length > 0) return { columns, rows, next: String(offset + rows.length) };
      throw new Refusal("EINVAL", `a row has more than ${mostBytes} bytes`);
    }
    rows.push(shown);
  }
  return { columns, rows, next: null };
}

/** The driver prepares the first statement and would pass over the rest: by itself, or in brackets, two are none. */
function oneSelect(database: DatabaseSync, query: string): string {
  const text = query.trim().replace(/;\s*$/, "");
  if (!/^(select|with|values)\b/i.test(text))
    throw new Refusal(
      "EINVAL",
      "only SELECT is allowed; to search for words, use the path of a table",
    );
  database.prepare(text);
  return `SELECT * FROM (${text}\n)`;
}

const wordsOf = (query: string): string[] => query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Numbers that JSON has not, and bytes, as text. */
function plain(value: SQLOutputValue): Json {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  if (typeof value === "bigint") return value.toString();
  return typeof value === "number" && !Number.isFinite(value) ? null : value;
}

const job = workerData as SqliteJob;
try {
  parentPort!.postMessage(answer(job));
} catch (error) {
  const { code, message } = error as Refusal;
  parentPort!.postMessage({ code: code === "ENOENT" ? code : "EINVAL", error: message });
}
