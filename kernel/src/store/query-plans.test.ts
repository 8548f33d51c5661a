// Query plans: what is asked for every run, every call or every few seconds finds its rows by an index. It
// costs the same whatever else was stored before.

import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { Row } from "./row-values.ts";
import { sharedReads } from "./reads.ts";
import { steps } from "./schema.ts";
import { finishedOf, giversOf, removableOf, removalStatements } from "./removal.ts";
import { compactSqliteRuns } from "./sqlite/history.ts";
import type { SqlValue } from "./writes.ts";

function openDatabase(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  for (const step of steps) for (const statement of step.statements("sqlite")) db.exec(statement);
  return db;
}

/** The tables that a statement reads from one end to the other; `process_ended` has only what retention is to look at. */
function scansOf(db: DatabaseSync, sql: string): string[] {
  const unknown = sql
    .split("?")
    .slice(1)
    .map(() => null);
  return db
    .prepare(`explain query plan ${sql}`)
    .all(...unknown)
    .map((row) => /^SCAN (\w+)(?! USING INDEX process_ended)/.exec(row["detail"] as string)?.[1])
    .filter((table) => table !== undefined && !TEMPORARY.has(table)) as string[];
}

/** What the statement itself has found. */
const TEMPORARY = new Set(["walk", "below", "top", "CONSTANT"]);

const readsOf = (db: DatabaseSync, scans: string[]) =>
  sharedReads(async (sql, values) => {
    scans.push(...scansOf(db, sql).map((table) => `${table}: ${sql}`));
    return db.prepare(sql).all(...(values as SqlValue[])) as Row[];
  });

const often: Readonly<Record<string, (reads: ReturnType<typeof sharedReads>) => Promise<unknown>>> =
  {
    process: (reads) => reads.process("agt_1"),
    processByKey: (reads) => reads.processByKey(1),
    chain: (reads) => reads.chain(1),
    livingChildren: (reads) => reads.livingChildren(1),
    countTree: (reads) => reads.countTree(1),
    finished: (reads) => reads.finished(),
    finishedBetween: (reads) => reads.finishedBetween(1, 2),
    oldestResults: (reads) => reads.oldestResults(10, 1),
    tree: (reads) => reads.tree(1),
    hasGivenAway: (reads) => reads.hasGivenAway(1),
    due: (reads) => reads.due("node", 1),
    spentByTree: (reads) => reads.spentByTree(1).catch(() => {}),
    spendOfTree: (reads) => reads.spend({ by: "all", root: 1 }),
    pastRuns: (reads) => reads.pastRuns(1, "agent", 10),
    blob: (reads) => reads.blob(1, "digest"),
    blobOf: (reads) => reads.blobOf(1, "digest"),
    manifest: (reads) => reads.manifest(1, "hash"),
    block: (reads) => reads.block("agt_1.0"),
    signals: (reads) => reads.signals(1),
    messages: (reads) => reads.messages(1),
    hasMessage: (reads) => reads.hasMessage(1, "msg_1"),
    countMessages: (reads) => reads.countMessages(1, 1),
    request: (reads) => reads.request("msg_1"),
    requestsTo: (reads) => reads.requestsTo(1),
    subscribers: (reads) => reads.subscribers(1, "topic"),
    file: (reads) => reads.file(1, 1, "/mem/working/x"),
    fileSize: (reads) => reads.fileSize(1, 0, "/mem/shared/x"),
    fileUsage: (reads) => reads.fileUsage(1, "/mem/agents/a"),
    files: (reads) => reads.files({ tenant: 1, space: 1, under: "/mem", limit: 10 }),
    question: (reads) => reads.question("q_1"),
    questionsOf: (reads) => reads.questionsOf(1),
    holdingsOf: (reads) => reads.holdingsOf(1),
    standing: (reads) => reads.standing(1, "agent"),
  };

test.for(Object.keys(often))("%s finds its rows by an index", async (name) => {
  const scans: string[] = [];

  await often[name]!(readsOf(openDatabase(), scans));

  expect(scans).toEqual([]);
});

test("the compaction of a run reads no table from one end to the other", () => {
  const db = openDatabase();
  const asked = new Set<string>();
  db.exec(`
    insert into process (key, tenant, pid, agent, root, depth, state, started_at, ended_at, spec)
      values (1, 1, 'agt_1', 'a', 1, 0, 'completed', 1, 2, '{}');
    insert into chain (process, tenant, node, epoch, seq, pos, hash, usd, tokens, tool_calls, bytes, grown_at)
      values (1, 1, 'n', 1, 0, 1, x'00', 0, 0, 0, 1, 1);
    insert into journal values (1, 1, 1, 0, 'record', x'00');
    insert into blob (tenant, digest, body) values (1, 'd', 'body');
    insert into blob_use (tenant, digest, process) values (1, 'd', 1)`);

  const records = compactSqliteRuns(
    (sql) => {
      asked.add(sql);
      return db.prepare(sql);
    },
    [1],
  );

  expect(records).toBe(1);
  expect(db.prepare("select count(*) as left from blob").get()).toEqual({ left: 0 });
  expect([...asked].flatMap((sql) => scansOf(db, sql))).toEqual([]);
});

test("the removal of runs reads no table from one end to the other", () => {
  const db = openDatabase();
  const spent = { microUsd: 0, tokens: 0, toolCalls: 0, overMicroUsd: 0, overTokens: 0 };
  const row = { key: 9, tenant: 1, node: "n", at: 1, pids: ["agt_1"], ...spent, signature: null };

  const statements = [
    finishedOf([1]),
    giversOf([1]),
    removableOf([1]),
    ...removalStatements(row, [1]),
  ];

  expect(statements.flatMap(([sql]) => scansOf(db, sql))).toEqual([]);
});
