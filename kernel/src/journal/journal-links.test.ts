// JOURNAL-1, GROUP-COMMIT-6, RECORD-LINKS-1: whoever links the records, each covers the one before it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { systemPlatform } from "../platform/clock.ts";
import type { BaseStore, Extension } from "../store/base-contract.ts";
import type { OpenedStore } from "../store/mail-reports.ts";
import { openStore } from "../store/open.ts";
import { UNDER_WAY } from "../store/record-links.ts";
import { BatchLinks } from "../store/sqlite/batch-links.ts";
import type { ProcessRow } from "../store/rows.ts";
import { CHAIN_START, hexOf, linkHash } from "./chain.ts";
import type { ChainEnd } from "./group-commit.ts";
import { Journal } from "./journal.ts";

const CHAINS = 12;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function openFile(): Promise<OpenedStore> {
  const folder = mkdtempSync(join(tmpdir(), "aos-links-"));
  const store = await openStore({ file: join(folder, "aos.db") });
  closing.push(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

const rowOf = (key: number): ProcessRow => ({
  key,
  tenant: 1,
  pid: `agt_${key}`,
  agent: "a",
  parent: null,
  parentPid: null,
  root: key,
  depth: 0,
  state: "running",
  waitingOn: null,
  wakeAt: null,
  base: 0,
  exitCode: null,
  startedAt: 1,
  endedAt: null,
  output: null,
  error: null,
  compacted: false,
  label: null,
  spec: {
    program: "test",
    programVersion: "1",
    manifestHash: "none",
    blocks: [],
    budget: {},
    label: { integrity: "trusted", secrecy: "public" },
  },
});

function journalOf(store: BaseStore) {
  const failures: unknown[] = [];
  const journal = new Journal(store, systemPlatform, {
    fenced: (key) => failures.push(`fenced ${key}`),
    failure: (error) => failures.push(error),
  });
  journal.keepGrown = true;
  return { journal, failures };
}

const newChains = (first = 1): ChainEnd[] =>
  Array.from({ length: CHAINS }, (_, nth) => ({
    key: first + nth,
    pid: `agt_${first + nth}`,
    tenant: 1,
    epoch: 1,
    seq: -1,
    hash: CHAIN_START,
  }));

/** What somebody does: the chains that get a record, or a pause of one kind. */
const doings = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.array(fc.nat(CHAINS - 1), { minLength: 1, maxLength: 20 }) },
    { weight: 2, arbitrary: fc.constant("turn" as const) },
    { weight: 1, arbitrary: fc.constant("wait" as const) },
    { weight: 1, arbitrary: fc.constant("shared" as const) },
  ),
  { minLength: 1, maxLength: 40 },
);

for (const [name, isLinkedThere] of [
  ["the store's thread", true],
  ["the kernel's", false],
] as const)
  test(`JOURNAL-1: records that are linked on ${name} are chains, however commits overlap`, async () => {
    const store = await openFile();
    expect("linkAndCommit" in store).toBe(true);
    const plain = Object.fromEntries(
      Object.entries(store).filter(([name]) => name !== "linkAndCommit"),
    ) as unknown as typeof store;
    const { journal, failures } = journalOf(isLinkedThere ? store : plain);
    let born = 0;

    await fc.assert(
      fc.asyncProperty(doings, async (list) => {
        const chains = newChains(born + 1);
        born += CHAINS;
        for (const { key } of chains)
          journal.write({ op: "process.add", row: rowOf(key), node: "a" });
        for (const doing of list)
          if (doing === "turn") await new Promise((resolve) => setImmediate(resolve));
          else if (doing === "wait") await journal.durable();
          else if (doing === "shared") {
            // A row that others touch, between records of the same process: two extensions of one commit.
            const [one, other] = [chains[0]!, chains[1]!];
            journal.append(one, `first ${one.seq}`);
            journal.append(other, `between ${other.seq}`);
            journal.append(one, `last ${one.seq}`, [
              { op: "block.put", tenant: 1, id: "b", state: "{}" },
            ]);
          } else {
            for (const nth of doing) {
              const chain = chains[nth]!;
              journal.append(chain, `{"chain":${nth},"seq":${chain.seq},"text":"ä€𝄞"}`);
            }
            journal.whenDurable(() => {});
          }
        await journal.durable();

        expect(failures).toEqual([]);
        const grown = journal.takeGrown();
        for (const { key, seq, hash } of chains) {
          const records = await store.records(key);
          const links: string[] = [];
          for (const { text } of records) links.push(linkHash(links.at(-1) ?? CHAIN_START, text));
          expect(records.map((record) => hexOf(record.hash))).toEqual(links);
          expect(records.length).toBe(seq + 1);
          expect(hash).toBe(links.at(-1) ?? CHAIN_START);
          if (seq >= 0) expect(grown.get(key)).toEqual({ pid: `agt_${key}`, seq, hash });
        }
      }),
      { numRuns: 40 },
    );
  });

test("GROUP-COMMIT-6: a chain that grows while its commit is under way goes on from it", async () => {
  const store = await openFile();
  const befores: string[] = [];
  const { journal } = journalOf({
    ...store,
    linkAndCommit: (extensions, before, writes) => {
      befores.push(before);
      return store.linkAndCommit!(extensions, before, writes);
    },
  });
  const [chain] = newChains();
  journal.write({ op: "process.add", row: rowOf(chain!.key), node: "a" });
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  journal.append(chain!, "zero");
  const first = journal.durable();
  await turn();
  journal.append(chain!, "one");
  const second = journal.durable();
  await turn();
  await Promise.all([first, second]);
  journal.append(chain!, "two");
  await journal.durable();

  const end = linkHash(linkHash(CHAIN_START, "zero"), "one");
  expect(befores).toEqual([CHAIN_START, UNDER_WAY, end]);
  expect(chain!.hash).toBe(linkHash(end, "two"));
});

test("RECORD-LINKS-1: what is under way and was not linked here is no link to anything", () => {
  const extension = (process: number): Extension => ({
    process,
    tenant: 1,
    pid: "",
    epoch: 1,
    at: 0,
    firstSeq: 1,
    records: [{ text: "text", hash: new Uint8Array(0) }],
    writes: [],
    spend: [],
    microUsd: 0,
    tokens: 0,
    toolCalls: 0,
    overMicroUsd: 0,
    overTokens: 0,
  });
  const links = new BatchLinks();
  links.link([extension(1)], CHAIN_START);

  expect(() => links.link([extension(2)], UNDER_WAY)).toThrow("no hash to link");
  expect(links.link([extension(1)], UNDER_WAY)).toBe(
    linkHash(linkHash(CHAIN_START, "text"), "text"),
  );
});

test("a commit that links and fails is the last", async () => {
  const store = await openFile();
  const { journal, failures } = journalOf(store);
  const [chain] = newChains();
  const row = rowOf(chain!.key);
  journal.write(
    { op: "process.add", row, node: "a" },
    { op: "process.add", row, node: "a" }, // the same key: refused by the database
  );
  journal.append(chain!, "zero");

  await expect(journal.durable()).rejects.toMatchObject({ code: "ESTORE" });

  expect(failures).toHaveLength(1);
  expect(journal.failure).toBe(failures[0]);
  expect(await store.records(chain!.key)).toEqual([]);
});
