// Erasure: rows that hold a text are found, and what they hold is removed from the history of finished runs. The same
// SQL for both databases.
//
// ERASURE-1  It is one transaction with the signed row that says what went: after a crash both are there, or neither.
// ERASURE-2  The hash of a record stays, so that its chain still leads to its end. Its text is replaced.
// ERASURE-3  Nothing is done where a process that has not ended uses one of the values, or shares one of the records.

import { numberValue, orNull, textValue, type Row, type RunQuery } from "./row-values.ts";
import type { ProcessKey, TenantKey } from "./rows.ts";
import type { SqlValue, Statement } from "./writes.ts";

/** What an erasure removed, by hashes and digests: nothing of it tells the text. */
export interface ErasedItems {
  /** The hash of each record, and the digest of the text that it has now. */
  readonly records: readonly (readonly [hash: string, digest: string])[];
  /** Digests of large values. */
  readonly blobs: readonly string[];
  /** Results of compacted runs: what the signed log says of each, and what it comes to now. */
  readonly results: readonly (readonly [pid: string, before: string, after: string])[];
  /** Runs of which something is gone: they cannot be replayed. */
  readonly runs: readonly string[];
  /** Files, messages, questions and embeddings. */
  readonly rows: number;
}

export interface ErasureRow {
  readonly key: number;
  readonly tenant: TenantKey;
  readonly node: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
  readonly items: ErasedItems;
  /** Of `erasureText`; null where no log is kept. */
  readonly signature: string | null;
}

/** All that goes in one transaction. */
export interface ErasureBatch {
  readonly row: ErasureRow;
  readonly records: readonly {
    readonly process: ProcessKey;
    readonly seq: number;
    readonly hash: string;
    readonly text: string;
  }[];
  readonly blobs: readonly string[];
  /** Processes whose checkpoint states all go: pieces of a text may be in any of them. */
  readonly states: readonly ProcessKey[];
  /** JSON texts. */
  readonly results: readonly {
    readonly process: ProcessKey;
    readonly output: string | null;
    readonly error: string | null;
  }[];
  readonly files: readonly { readonly space: ProcessKey; readonly path: string }[];
  readonly messages: readonly number[];
  readonly letters: readonly number[];
  /** Items of fleets that are over, and events: the key of the fleet, a space, the id. */
  readonly items: readonly string[];
  readonly events: readonly string[];
  readonly questions: readonly string[];
  readonly cores: readonly ProcessKey[];
  readonly embeddings: readonly string[];
}

/** What is signed. */
export const erasureText = ({ key, tenant, node, at, by, items }: Omit<ErasureRow, "signature">) =>
  JSON.stringify(["aos erasure", key, tenant, node, at, by, items]);

export const holderKinds = [
  "file",
  "record",
  "process",
  "blob",
  "message",
  "letter",
  "item",
  "open-item",
  "event",
  "question",
  "core",
  "manifest",
  "ledger",
  "label",
] as const;
export type HolderKind = (typeof holderKinds)[number];

/** A row whose text has one of the words. */
export interface TextHolder {
  /** What names it in its table. */
  readonly id: string;
  /** The process that it is of; 0 where it is of none. */
  readonly process: ProcessKey;
  readonly text: string;
}

interface HolderTable {
  readonly from: string;
  readonly id: string;
  readonly process: string;
  /** Column expressions; any may have the word. */
  readonly texts: readonly string[];
  readonly where?: string;
}

const OF_FLEET = "fleet || ' ' || id";
const itemTexts = {
  from: "fleet_item",
  id: OF_FLEET,
  process: "0",
  texts: ["id", "input", "reason"],
} as const;

const HOLDERS: Readonly<Record<HolderKind, HolderTable>> = {
  file: { from: "file", id: "path", process: "space", texts: ["path", "data"] },
  record: { from: "journal", id: "process", process: "process", texts: ["record"] },
  process: { from: "process", id: "pid", process: "key", texts: ["output", "error", "spec"] },
  blob: { from: "blob", id: "digest", process: "0", texts: ["body"], where: "in_parts = 0" },
  message: { from: "message", id: "key", process: "process", texts: ["body"] },
  letter: { from: "dead_letter", id: "key", process: "process", texts: ["body"] },
  item: { ...itemTexts, where: "state in ('done', 'dead')" },
  "open-item": { ...itemTexts, where: "state in ('waiting', 'running')" },
  event: { from: "fleet_event", id: OF_FLEET, process: "0", texts: ["detail"] },
  question: {
    from: "question",
    id: "id",
    process: "process",
    texts: ["question", "choices", "reason", "about"],
  },
  core: { from: "core", id: "process", process: "process", texts: ["body"] },
  manifest: { from: "manifest", id: "hash", process: "0", texts: ["body"] },
  ledger: { from: "ledger", id: "seq", process: "0", texts: ["entry"] },
  label: { from: "resource_label", id: "resource", process: "0", texts: ["resource"] },
};

const asPattern = (word: string): string => `%${word.replaceAll(/[!%_]/g, "!$&")}%`;

export const erasureReads = (query: RunQuery) => ({
  /** Rows with one of the words in them, lower case; a page of them by their ids. */
  async textHolders(
    kind: HolderKind,
    tenant: TenantKey,
    words: readonly string[],
    limit: number,
    after = "",
  ): Promise<TextHolder[]> {
    const { from, id, process, texts, where } = HOLDERS[kind];
    const has = texts.flatMap((text) => words.map(() => `lower(${text}) like ? escape '!'`));
    const isAlone = kind === "record"; // its process is all that is asked for
    const key = `cast(${id} as text)`;
    const whole = texts.map((text) => `coalesce(${text}, '')`).join(" || '\n' || ");
    const rows = await query(
      `select ${isAlone ? "distinct" : ""} ${key} as id, ${process} as process, ${isAlone ? "''" : whole} as text
         from ${from} where tenant = ? and ${where ?? "1 = 1"} and ${key} > ? and (${has.join(" or ")})
         order by 1 limit ?`,
      [tenant, after, ...texts.flatMap(() => words.map(asPattern)), limit],
    );
    return rows.map((row) => ({
      id: textValue(row["id"]),
      process: numberValue(row["process"]),
      text: textValue(row["text"]),
    }));
  },

  /** States that are stored in parts: no row of theirs has the whole text. */
  async dividedBlobs(tenant: TenantKey, limit: number, after = ""): Promise<string[]> {
    const rows = await query(
      "select digest from blob where tenant = ? and in_parts = 1 and digest > ? order by digest limit ?",
      [tenant, after, limit],
    );
    return rows.map((row) => textValue(row["digest"]));
  },

  /** Who uses a value. */
  async blobUsers(tenant: TenantKey, digest: string): Promise<ProcessKey[]> {
    const rows = await query("select process from blob_use where tenant = ? and digest = ?", [
      tenant,
      digest,
    ]);
    return rows.map((row) => numberValue(row["process"]));
  },

  /** Those that share the history of a process, directly or not. */
  async heirsOf(process: ProcessKey): Promise<{ pid: string; isEnded: boolean }[]> {
    const rows = await query(HEIRS, [process]);
    return rows.map((row) => ({ pid: textValue(row["pid"]), isEnded: row["ended_at"] !== null }));
  },

  async erasures(): Promise<ErasureRow[]> {
    return (await query("select * from erasure order by key", [])).map(erasureRow);
  },
});

const HEIRS = `
  with recursive heirs (key, pid, ended_at) as (
    select key, pid, ended_at from process where shared_from = ? and compacted = 0
    union all
    select process.key, process.pid, process.ended_at from process join heirs on process.shared_from = heirs.key
      where process.compacted = 0)
  select pid, ended_at from heirs`;

const erasureRow = (row: Row): ErasureRow => ({
  key: numberValue(row["key"]),
  tenant: numberValue(row["tenant"]),
  node: textValue(row["node"]),
  at: numberValue(row["at"]),
  by: textValue(row["person"]),
  items: JSON.parse(textValue(row["items"])) as ErasedItems,
  signature: orNull(row["signature"], String),
});

/** ERASURE-3. What finds something forbids the batch. */
export function erasureObstacles({ row, records, blobs }: ErasureBatch): Statement[] {
  const owners = [...new Set(records.map(({ process }) => process))];
  return [
    ...owners.map((key): Statement => [
      "select 1 from process where key = ? and ended_at is null",
      [key],
    ]),
    ...owners.map((key): Statement => [`${HEIRS} where ended_at is null`, [key]]),
    ...blobs.map((digest): Statement => [
      `select 1 from blob_use join process on process.key = blob_use.process
         where blob_use.tenant = ? and digest = ? and ended_at is null`,
      [row.tenant, digest],
    ]),
  ];
}

/** All but the records, whose places differ. */
export function erasureStatements(batch: ErasureBatch): Statement[] {
  const { row, blobs, results, files } = batch;
  const { tenant } = row;
  const removals = (sql: string, ids: readonly SqlValue[]): Statement[] =>
    ids.map((id) => [sql, [tenant, id]]);
  return [
    ...removals("delete from blob_use where tenant = ? and digest = ?", blobs),
    ...removals("delete from blob where tenant = ? and digest = ?", blobs),
    ...results.map(({ process, output, error }): Statement => [
      "update process set output = ?, error = ? where key = ?",
      [output, error, process],
    ]),
    ...files.map(({ space, path }): Statement => [
      "delete from file where tenant = ? and space = ? and path = ?",
      [tenant, space, path],
    ]),
    ...removals("delete from message where tenant = ? and key = ?", batch.messages),
    ...removals("delete from dead_letter where tenant = ? and key = ?", batch.letters),
    ...removals(`delete from fleet_item where tenant = ? and ${OF_FLEET} = ?`, batch.items),
    ...removals(`delete from fleet_event where tenant = ? and ${OF_FLEET} = ?`, batch.events),
    ...removals("delete from vote where tenant = ? and question = ?", batch.questions),
    ...removals("delete from question where tenant = ? and id = ?", batch.questions),
    ...removals("delete from core where tenant = ? and process = ?", batch.cores),
    ...removals("delete from embedding where tenant = ? and digest = ?", batch.embeddings),
    [
      "insert into erasure (key, tenant, node, at, person, items, signature) values (?, ?, ?, ?, ?, ?, ?)",
      [row.key, tenant, row.node, row.at, row.by, JSON.stringify(row.items), row.signature],
    ],
  ];
}

/** Every use of a process by the states of its checkpoints. */
export const DROP_STATE_USES =
  "delete from blob_use where process = ? and state_seq is not null returning tenant, digest";
