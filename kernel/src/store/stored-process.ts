// StoredProcess: all that a process is loaded from, read by one question. What is told of it while it is read
// or after is not in it: who loads it has to know of that (scheduler/dormancy.ts).
//
// STORED-PROCESS-1  All of it is of one moment; of its records, those up to the end that its chain had
//     then.

import type { LoadQuery, StoredProcess } from "./queries.ts";
import { holdingRow } from "./authority-reads.ts";
import { messageRow } from "./mail-reads.ts";
import { processRow } from "./process-reads.ts";
import { chainRow, signalRow, SPENT_BY_TREE, spentRow } from "./reads.ts";
import { numberValue, orNull, textValue, type Row, type RunQuery } from "./row-values.ts";
import type { BlockSpec, ProcessKey } from "./rows.ts";

/** The same as the database has it. */
export interface StoredRows {
  /** Of the process and its chain, with what is counted. */
  readonly head: Row;
  readonly holdings: readonly Row[];
  readonly standing: readonly Row[];
  readonly messages: readonly Row[];
  readonly signals: readonly Row[];
  readonly blocks: readonly Row[];
  readonly spent: Row | undefined;
  readonly first: number;
  readonly texts: readonly string[];
}

/** `?1` is the process. */
export const HEAD = `
  select process.*, chain.process, node, epoch, seq, hash, micro_usd, tokens, tool_calls, over_micro_usd, over_tokens, usd,
      tenant.name as tenant_name,
      (select count(*) from process member where member.root = process.root and member.ended_at is null) as members,
      (select count(*) from request where request.target = process.key) as asked,
      (select count(*) from request where request.process = process.key) as asks
    from process join chain on chain.process = process.key left join tenant on tenant.id = process.tenant
    where process.key = ?`;

export function storedProcess(rows: StoredRows): StoredProcess {
  const { head } = rows;
  const { hash } = head;
  return {
    row: processRow(head),
    chain: chainRow(typeof hash === "string" ? { ...head, hash: bytesIn(hash) } : head),
    tenantName: orNull(head["tenant_name"], String) ?? "?",
    treeCount: numberValue(head["members"]),
    wasAsked: numberValue(head["asked"]) > 0,
    hasAsked: numberValue(head["asks"]) > 0,
    holdings: rows.holdings.map(holdingRow),
    standing: rows.standing.map(holdingRow),
    messages: rows.messages.map(messageRow),
    signals: rows.signals.map(signalRow),
    blockStates: new Map(rows.blocks.map((row) => [textValue(row["id"]), textValue(row["state"])])),
    spent: rows.spent && spentRow(rows.spent),
    first: rows.first,
    texts: rows.texts,
  };
}

/** As JSON of PostgreSQL has them: `\\x…`. */
const bytesIn = (hex: string): Uint8Array => Buffer.from(hex.slice(2), "hex");

/** From which record on they are wanted; after the last where none is. */
export function firstWanted(head: Row, { records }: LoadQuery): number {
  if (records === "none" || head["ended_at"] !== null) return numberValue(head["seq"]) + 1;
  return records === "all" ? 0 : numberValue(head["base"]);
}

/** For a database that answers at once: one statement after the other. */
export async function readStoredRows(
  query: RunQuery,
  /** The texts of a process's records from `first` to `last`, its end. */
  textsOf: (key: ProcessKey, first: number, last: number) => string[],
  key: ProcessKey,
  wanted: LoadQuery,
): Promise<StoredRows | undefined> {
  const [head] = await query(HEAD, [key]);
  if (head === undefined) return undefined;
  const ofProcess = (table: string, order: string) =>
    query(`select * from ${table} where process = ? order by ${order}`, [key]);
  const holdings = await ofProcess("holding", "given_at, handle");
  const specs = [head["spec"], ...holdings.map((row) => `{"blocks":${textValue(row["blocks"])}}`)];
  const ids = new Set(specs.flatMap((spec) => blockIdsIn(textValue(spec))));
  const blocks: Row[] = [];
  for (const id of ids)
    blocks.push(...(await query("select id, state from block where id = ?", [id])));
  const first = firstWanted(head, wanted);
  return {
    head,
    holdings,
    blocks,
    standing: await query(
      "select * from holding where process = 0 and tenant = ? and agent = ? order by given_at, handle",
      [head["tenant"]!, head["agent"]!],
    ),
    messages: await ofProcess("message", "key"),
    signals: await ofProcess("signal", "key"),
    spent: wanted.spent ? (await query(SPENT_BY_TREE, [key]))[0] : undefined,
    first,
    texts: textsOf(key, first, numberValue(head["seq"])),
  };
}

const blockIdsIn = (spec: string): string[] =>
  (JSON.parse(spec) as { blocks: readonly BlockSpec[] }).blocks.map(({ id }) => id);
