// Stored: all that a process is loaded from, by one question (kernel/src/store/stored-process.ts).

import { expect, test } from "vitest";
import type { Write, HoldingRow } from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended, extension, forked, hashOf, hex, messageRow, patched } from "./rows.ts";
import { processRow, signalRow, textsOf } from "./rows.ts";

const blockOf = (id: string) => ({
  id,
  holder: "agt_0001",
  mintedAt: 5,
  capabilities: ["tool:x:call{max:3}"],
});

const held = (handle: string, more: Partial<HoldingRow> = {}): Write => ({
  op: "holding.add",
  row: {
    handle,
    tenant: 1,
    process: 1,
    agent: "tester",
    state: "held",
    blocks: [blockOf(`of-${handle}`)],
    givenBy: "ann",
    givenAt: 2000,
    expiresAt: null,
    reason: null,
    ...more,
  },
});

const state = (id: string): Write => ({ op: "block.put", tenant: 1, id, state: `{"of":"${id}"}` });

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, nth) => `record ${nth}`);

const ALL = { records: "all", spent: true } as const;

export function storedSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);

  test("it is what the single questions answer", async () => {
    const spec = { ...processRow(1).spec, blocks: [blockOf("own"), blockOf("unused")] };
    await here.store.commit(
      [extension(1, 0, ["zero", "one"], { microUsd: 7, tokens: 8, toolCalls: 9 })],
      [
        born(1, { spec, label: "untrusted/secret" }),
        born(2, { parent: 1 }),
        born(3, { parent: 1 }),
        ended(3),
        held("b", { givenAt: 3000 }),
        held("a"),
        held("other's", { process: 2 }),
        held("standing", { process: 0 }),
        held("standing for others", { process: 0, agent: "another" }),
        ...["own", "of-a", "of-other's"].map(state),
        { op: "message.add", row: messageRow(21, 1) },
        { op: "message.add", row: messageRow(20, 1, { topic: "news", replyTo: "agt_0002.1" }) },
        { op: "message.add", row: messageRow(22, 2) },
        { op: "signal.add", row: signalRow(31, 1) },
        { op: "signal.add", row: signalRow(32, 2) },
      ],
    );
    await here.store.commit([extension(2, 0, ["child"], { microUsd: 1, overTokens: 2 })], []);

    const stored = (await here.store.stored(1, ALL))!;

    const { hash, ...chain } = (await here.store.chain(1))!;
    expect(stored.row).toEqual({ ...(await here.store.processByKey(1)), microUsd: 7 });
    expect(stored.chain).toMatchObject(chain);
    expect(hex(stored.chain.hash)).toBe(hex(hash));
    expect(stored.tenantName).toBe("default");
    expect(stored.holdings).toEqual(await here.store.holdingsOf(1));
    expect(stored.holdings.map(({ handle }) => handle)).toEqual(["a", "b"]);
    expect(stored.standing).toEqual(await here.store.standing(1, "tester"));
    expect(stored.messages).toEqual(await here.store.messages(1));
    expect(stored.signals).toEqual(await here.store.signals(1));
    expect(stored.spent).toEqual(await here.store.spentByTree(1));
    expect(stored.spent).toMatchObject({ microUsd: 8, overTokens: 2 });
    expect(stored.treeCount).toBe(2);
    expect([...stored.blockStates].sort()).toEqual([
      ["of-a", `{"of":"of-a"}`],
      ["own", `{"of":"own"}`],
    ]);
  });

  test("who waits for whose answer is known of both", async () => {
    const open: Write = {
      op: "request.open",
      row: { id: "agt_0001.4", tenant: 1, process: 1, target: 2 },
    };
    await here.store.commit([], [born(1), born(2), born(3), open]);

    const asks = await Promise.all([1, 2, 3].map((key) => here.store.stored(key, ALL)));

    expect(asks.map((one) => one!.hasAsked)).toEqual([true, false, false]);
    expect(asks.map((one) => one!.wasAsked)).toEqual([false, true, false]);
  });

  test.each([3, 40])("its %i records are read whole, from its base on, or not", async (count) => {
    const texts = numbered(count);
    await here.store.commit([extension(1, 0, texts)], [born(1), patched(1, { base: 2 })]);
    await here.store.commit([extension(2, 0, ["another's"])], [born(2)]);
    const read = async (records: "all" | "base" | "none") => {
      const { first, texts: found } = (await here.store.stored(1, { records, spent: false }))!;
      return { first, texts: found };
    };

    expect(await read("all")).toEqual({ first: 0, texts });
    expect(await read("base")).toEqual({ first: 2, texts: texts.slice(2) });
    expect(await read("none")).toEqual({ first: count, texts: [] });
  });

  test.each([2, 30])("a fork has the %i records that it shares, and its own", async (count) => {
    const texts = numbered(count + 3);
    await here.store.commit([extension(1, 0, texts)], [born(1)]);
    const shared = { from: 1, at: count - 1 };
    await here.store.commit([], [forked(2, shared, hashOf(texts[count - 1]!))]);
    await here.store.commit([extension(2, count, ["its own"])], []);

    const { first, texts: found } = (await here.store.stored(2, ALL))!;

    expect(first).toBe(0);
    expect(found).toEqual([...texts.slice(0, count), "its own"]);
    expect(found).toEqual(await textsOf(here.store, 2));
  });

  test("of one that has ended no record is read, and of nobody nothing", async () => {
    await here.store.commit([extension(1, 0, ["zero"])], [born(1), ended(1)]);

    const stored = (await here.store.stored(1, ALL))!;

    expect(stored).toMatchObject({ first: 1, texts: [], treeCount: 0 });
    expect(stored.row.output).toBe("done");
    expect(await here.store.stored(9, ALL)).toBeUndefined();
  });

  test("what stands for an agent is as it was last written, however often it was asked for", async () => {
    const names = async () =>
      (await here.store.standing(1, "tester")).map(({ handle, state: is }) => `${handle} ${is}`);
    const asked = [await names(), await names()];
    const given = here.store.commit([], [held("a", { process: 0 })]);
    const meanwhile = names();
    await given;
    asked.push(await names());
    await here.store.commit(
      [
        extension(1, 0, ["zero"], {
          writes: [{ op: "holding.set", handle: "a", state: "revoked" }],
        }),
      ],
      [born(1)],
    );
    asked.push(await names());

    expect(asked).toEqual([[], [], ["a held"], ["a revoked"]]);
    await meanwhile;
  });
}
