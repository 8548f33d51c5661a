import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bytesOfHex, CHAIN_START, linkHash } from "../journal/chain.ts";
import type { Store } from "../store/contract.ts";
import { BackgroundStoreCheck } from "./store-patrol.ts";

const TEXTS = ["one", "two", "three"];

/** One process, whose records are read one a page; each page takes 4 ms. */
function storeOf(texts: readonly string[], stored = texts) {
  const hashes = texts.map(
    (
      (hash) => (text: string) =>
        (hash = linkHash(hash, text))
    )(CHAIN_START),
  );
  let pages = 0;
  const store = {
    allKeys: async () => [1],
    processByKey: async () => ({ pid: "agt_1", tenant: 1, compacted: false }),
    chain: async () => ({ seq: texts.length - 1, hash: bytesOfHex(hashes.at(-1)!) }),
    records: async () =>
      stored.map((text, seq) => ({ text, seq, hash: bytesOfHex(hashes[seq] ?? CHAIN_START) })),
    async *recordPages() {
      for (const [first, text] of stored.entries()) {
        clock += 4;
        pages += 1;
        yield { first, texts: [text], hashes: bytesOfHex(hashes[first]!) };
      }
    },
    erasures: async () => [],
  } as unknown as Store;
  return { store, pagesRead: () => pages };
}

let clock = 0;
let found: string[] = [];

function patrolOf(store: Store): BackgroundStoreCheck {
  const parts = { restMs: 1000, store, trouble: () => {} };
  const audit = { isKept: false, isSigned: () => undefined };
  return new BackgroundStoreCheck({
    ...parts,
    audit,
    found: (problems) => found.push(...problems),
  });
}

beforeEach(() => {
  found = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(performance, "now").mockImplementation(() => clock);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test("STORE-PATROL-1: after each page it rests fifty times as long as the page took", async () => {
  const { store, pagesRead } = storeOf(TEXTS);
  const patrol = patrolOf(store);
  patrol.begin();
  await vi.advanceTimersByTimeAsync(2000);

  const read: number[] = [];
  for (const ms of [0, 199, 1, 199, 1]) {
    await vi.advanceTimersByTimeAsync(ms);
    read.push(pagesRead());
  }
  patrol.close();

  expect(read).toEqual([1, 1, 2, 2, 3]);
  expect(found).toEqual([]);
});

test("what is wrong on a later page is found, and said as a whole", async () => {
  const changed = patrolOf(storeOf(TEXTS, ["one", "two", "3"]).store);
  const cut = patrolOf(storeOf(TEXTS, ["one", "two"]).store);
  changed.begin();
  cut.begin();

  await vi.advanceTimersByTimeAsync(10_000);
  changed.close();
  cut.close();

  expect(found.toSorted()).toEqual([
    "agt_1: 1 records are missing",
    "agt_1: record 2 is not what was written",
  ]);
});
