// What commits leave to later ones is in the rows of chains and of spend for everybody who reads them, whatever
// happens in between: a crash, a failed commit, a store of before.

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Extension, Write } from "../contract.ts";
import { SqliteTables } from "../copy/sqlite-tables.ts";
import { rollBackSchema } from "../roll-back-schema.ts";
import type { ProcessKey } from "../rows.ts";
import { SCHEMA_VERSION } from "../schema.ts";
import type { SpendRow } from "../spend-row.ts";
import { openSqliteStore, type SqliteStore } from "./sqlite-store.ts";

const ALWAYS = { chains: 1, commits: 0 };
const NEVER = { chains: Infinity, commits: 0 };
const HOUR = 3_600_000;

let folder: string;
const opened: SqliteStore[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-redo-"));
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(folder, { recursive: true });
});

function open(name: string, redoUse?: { chains: number; commits: number }): SqliteStore {
  const store = openSqliteStore(join(folder, name), redoUse);
  opened.push(store);
  return store;
}

const born = (key: ProcessKey, root = key): Write => ({
  op: "process.add",
  node: "n",
  row: {
    key,
    tenant: 1,
    pid: `agt_${key}`,
    agent: "tester",
    parent: null,
    parentPid: null,
    root,
    depth: 0,
    state: "running",
    waitingOn: null,
    wakeAt: null,
    startedAt: 1,
    spec: {} as never,
  } as never,
});

/** How far each process is, by what was made here. */
class Made {
  readonly #seqs = new Map<ProcessKey, number>();

  /** Some records of a process, with what they cost. */
  records(process: ProcessKey, nth: number, root = process): Extension {
    const firstSeq = this.#seqs.get(process) ?? 0;
    const count = 1 + (nth % 2);
    this.#seqs.set(process, firstSeq + count);
    const isPaid = nth % 3 === 0;
    const cost = isPaid
      ? { microUsd: 5 + nth, tokens: 70_000, overMicroUsd: 2, overTokens: 3 }
      : { microUsd: 0, tokens: 0, overMicroUsd: 0, overTokens: 0 };
    const row = (what: string): SpendRow => ({
      tenant: 1,
      hour: HOUR * (nth > 5 ? 2 : 1),
      agent: "tester",
      root,
      what,
      toolCalls: 1,
      calls: 1,
      unpriced: nth % 4,
      ...cost,
    });
    const rows = nth % 5 === 0 ? [row("tool:a"), row("tool:b")] : [row("tool:a")];
    const times = rows.length;
    return {
      process,
      pid: `agt_${process}`,
      tenant: 1,
      epoch: 1,
      at: 2 * HOUR + 17 * nth,
      firstSeq,
      records: Array.from({ length: count }, (_, at) => ({
        text: `{"kind":"call","seq":${firstSeq + at},"n":"${"é".repeat(nth)}"}`,
        hash: new Uint8Array(32).fill(nth + at + process),
      })),
      writes: [],
      spend: rows,
      microUsd: times * cost.microUsd,
      tokens: times * cost.tokens,
      toolCalls: times,
      overMicroUsd: times * cost.overMicroUsd,
      overTokens: times * cost.overTokens,
    };
  }
}

/** Everything that is told of chains and spend. */
async function toldBy(store: SqliteStore, keys: readonly ProcessKey[]) {
  const of = await Promise.all(
    keys.map(async (key) => [await store.chain(key), await store.records(key)]),
  );
  const spend = await Promise.all(
    (["all", "root", "what", "hour"] as const).map((by) => store.spend({ by })),
  );
  return { of, spend, balance: await store.spendBalance(), last: await store.lastGrownAt() };
}

/** As a crash leaves it: the bytes of this moment. */
function crashed(name: string): string {
  for (const end of ["", "-wal"])
    if (existsSync(join(folder, name + end)))
      copyFileSync(join(folder, name + end), join(folder, `crashed-${name}${end}`));
  return `crashed-${name}`;
}

const rowsOfRedo = (name: string): number => {
  using db = new DatabaseSync(join(folder, name));
  return Number(db.prepare("select count(*) as found from redo").get()!["found"]);
};

const KEYS = [1, 2, 300];

async function begun(redoUse?: { chains: number; commits: number }, name = "aos.db") {
  const store = open(name, redoUse);
  await store.commit([], [born(1), born(2, 1), born(300)]);
  return store;
}

/** Twelve commits, the same each time. */
async function twelve(store: SqliteStore, after: (nth: number) => Promise<void> = async () => {}) {
  const made = new Made();
  for (let nth = 0; nth < 12; nth++) {
    const keys = KEYS.filter((_, at) => (nth + at) % 3 !== 0);
    const extensions = keys.map((key) => made.records(key, nth, key === 2 ? 1 : key));
    expect(await store.commit(extensions, [])).toEqual({ fenced: [] });
    await after(nth);
  }
  return made;
}

test("REDO-2: who reads finds what every commit added, as if each had written its rows", async () => {
  const plain = await begun(NEVER, "plain.db");
  await twelve(plain);
  const deferring = await begun(ALWAYS, "deferring.db");

  await twelve(deferring);

  expect(deferring.commits.isUnfolded).toBe(true);
  expect(await toldBy(deferring, KEYS)).toEqual(await toldBy(plain, KEYS));
  expect(deferring.commits.isUnfolded).toBe(false);
});

test("REDO-1: after a crash at any commit everything that was committed is there once", async () => {
  const plain = await begun(NEVER, "plain.db");
  const told: unknown[] = [];
  await twelve(plain, async () => void told.push(await toldBy(plain, KEYS)));
  const deferring = await begun(ALWAYS);

  await twelve(deferring, async (nth) => {
    const name = crashed("aos.db");
    expect(rowsOfRedo(name)).toBe(nth + 1);
    const again = open(name, ALWAYS);
    expect(again.commits.isUnfolded).toBe(false);
    expect(await toldBy(again, KEYS)).toEqual(told[nth]);
    await again.close();
    opened.pop();
    expect(rowsOfRedo(name)).toBe(0);
  });
});

test("REDO-1: a commit that fails leaves what those before it added", async () => {
  const plain = await begun(NEVER, "plain.db");
  await twelve(plain);
  const deferring = await begun(ALWAYS);
  const made = await twelve(deferring);

  const failing = deferring.commit([made.records(1, 1)], [born(2), born(2)]);

  await expect(failing).rejects.toThrow(/UNIQUE/);
  expect(await toldBy(deferring, KEYS)).toEqual(await toldBy(plain, KEYS));
});

test("a commit after a failed one goes on from the last that was made", async () => {
  const store = await begun(ALWAYS);
  const made = new Made();
  await store.commit([made.records(1, 1)], []);
  const failing = store.commit([new Made().records(1, 1)], [born(2), born(2)]);
  await expect(failing).rejects.toThrow(/UNIQUE/);

  const next = await store.commit([made.records(1, 2)], []);

  expect(next).toEqual({ fenced: [] });
  expect((await store.records(1)).map(({ seq }) => seq)).toEqual([0, 1, 2]);
});

test("a commit that fails after its records were written has moved no end", async () => {
  const store = await begun(ALWAYS);
  const extension = new Made().records(1, 1);
  const failing = store.commit([{ ...extension, writes: [born(2)] }], []);
  await expect(failing).rejects.toThrow(/UNIQUE/);

  expect(await store.commit([extension], [])).toEqual({ fenced: [] });
});

test("more ends than are remembered are no reason to refuse a chain", async () => {
  const store = await begun(ALWAYS);
  const made = new Made();
  const many = Array.from({ length: 20_001 }, (_, nth) => 1000 + nth);
  await store.commit(
    many.map((key) => made.records(key, 1)),
    many.map((key) => born(key)),
  );

  expect(await store.commit([made.records(1000, 1)], [])).toEqual({ fenced: [] });
});

test("a lone chain goes on while it has something that is not folded", async () => {
  const store = open("aos.db", { chains: 2, commits: 0 });
  const made = new Made();
  await store.commit([], [born(1), born(300)]);
  await store.commit([made.records(1, 1), made.records(300, 1)], []);

  expect(await store.commit([made.records(1, 1)], [])).toEqual({ fenced: [] });
  expect((await store.chain(1))!.seq).toBe(3);
});

test("a store that is closed leaves nothing to fold", async () => {
  const store = await begun(ALWAYS);
  await store.commit([new Made().records(1, 1)], []);

  await store.close();
  opened.pop();

  expect(rowsOfRedo("aos.db")).toBe(0);
});

test("what is dropped in a transaction finds the rows folded", async () => {
  const store = await begun(ALWAYS);
  await store.commit([new Made().records(1, 1)], []);

  expect(await store.dropStates({ process: 1, tenant: 1, after: -1, upTo: 9 })).toBe(0);
});

test("STORE-2: a chain that others have moved, or that has another epoch, is refused while rows are unfolded", async () => {
  const store = await begun(ALWAYS);
  const made = new Made();
  await store.commit([made.records(1, 1), made.records(300, 1)], []);
  const again = new Made();

  const { fenced } = await store.commit(
    [again.records(1, 1), { ...made.records(300, 1), epoch: 2 }, made.records(2, 1)],
    [],
  );

  expect(fenced).toEqual([1, 300]);
  expect((await store.chain(1))!.seq).toBe(1);
});

test("STORE-2: who claims a process fences those that had it, whatever was unfolded", async () => {
  const store = await begun(ALWAYS);
  const made = new Made();
  await store.commit([made.records(1, 1)], []);
  await store.claim("other");

  const { fenced } = await store.commit([made.records(1, 1)], []);

  expect(fenced).toEqual([1]);
});

test("a removed process takes no more records", async () => {
  const store = await begun(ALWAYS);
  const made = new Made();
  await store.commit(
    [made.records(300, 1)],
    [{ op: "process.patch", key: 300, patch: { state: "completed", endedAt: 5 } }],
  );
  await store.compact([300]);
  await store.commit([{ ...made.records(300, 1), epoch: 2 }], []);
  const nothing = { microUsd: 0, tokens: 0, toolCalls: 0, overMicroUsd: 0, overTokens: 0 };
  const of = { key: 9, tenant: 1, node: "n", at: 9, pids: ["agt_300"], signature: null };
  const row = { ...of, ...nothing };
  expect(await store.remove(row, [300])).toBe(true);

  expect((await store.commit([made.records(300, 1)], [])).fenced).toEqual([300]);
});

test("a fold comes by itself after many commits", async () => {
  const store = await begun(ALWAYS);
  const made = new Made();

  for (let nth = 0; nth < 70; nth++) await store.commit([made.records(1, nth)], []);

  expect(rowsOfRedo(crashed("aos.db"))).toBe(70 - 64);
});

test("few chains, and commits that are read after, leave nothing to a later one", async () => {
  const store = await begun();
  const made = new Made();
  const many = Array.from({ length: 8 }, (_, nth) => 1000 + nth);
  await store.commit(
    [],
    many.map((key) => born(key)),
  );
  const commit = async (keys: readonly number[]) => {
    await store.commit(
      keys.map((key) => made.records(key, 1)),
      [],
    );
    return store.commits.isUnfolded;
  };

  const alone = [];
  for (let nth = 0; nth < 6; nth++) alone.push(await commit([1]));
  const together = [];
  for (let nth = 0; nth < 2; nth++) together.push(await commit(many));
  await store.chain(1);
  for (let nth = 0; nth < 5; nth++) together.push(await commit(many));

  expect(alone).toEqual(Array(6).fill(false));
  expect(together).toEqual([true, true, false, false, false, false, true]);
});

test("the schema of before is gone back to with every row in its place", async () => {
  const store = await begun(ALWAYS);
  await twelve(store);
  const told = await toldBy(open(crashed("aos.db")), KEYS);
  await store.commit([], []);
  const file = join(folder, crashed("aos.db"));
  for (const one of opened.splice(0)) await one.close();

  await rollBackSchema({ file }, SCHEMA_VERSION - 1);

  expect(await toldBy(open("crashed-aos.db"), KEYS)).toEqual(told);
});

test("who copies the tables finds the rows of a crash folded", async () => {
  const store = await begun(ALWAYS);
  await twelve(store);
  const tables = new SqliteTables(join(folder, crashed("aos.db")));

  const shapes = await tables.tables();
  const ends: unknown[] = [];
  const chain = shapes.find(({ name }) => name === "chain")!;
  for await (const rows of tables.rows(chain))
    for (const row of rows) ends.push(row[chain.columns.indexOf("seq")]);
  tables.close();

  expect(shapes.map(({ name }) => name)).not.toContain("redo");
  expect(ends).toEqual(await Promise.all(KEYS.map(async (key) => (await store.chain(key))!.seq)));
});

test("REDO-3: a chain that somebody moved behind the store's back stays, with what its records cost", async () => {
  const store = await begun(ALWAYS);
  const made = new Made();
  await store.commit([made.records(1, 1), made.records(300, 1)], []);
  const name = crashed("aos.db");
  using db = new DatabaseSync(join(folder, name));
  db.exec("update chain set seq = 7 where process = 1");
  db.close();

  const again = open(name);

  expect((await again.chain(1))!.seq).toBe(7);
  expect((await again.chain(300))!.seq).toBe(1);
  expect(await again.spend({ by: "root" })).toMatchObject([{ key: "300", calls: 1 }]);
  expect(await again.unreached()).toHaveLength(2);
});

test.each([
  ["numbers", "x'04'"],
  ["numbers", "x'040101'"],
  ["words", "'[]'"],
  ["words", "'none'"],
])("a row of redo whose %s are %s is said to be damaged", async (column, value) => {
  const store = await begun(ALWAYS);
  await store.commit([new Made().records(1, 1)], []);
  const name = crashed("aos.db");
  using db = new DatabaseSync(join(folder, name));
  db.exec(`update redo set ${column} = ${value}`);
  db.close();

  expect(() => open(name)).toThrow(expect.objectContaining({ code: "ECORRUPT" }));
});
