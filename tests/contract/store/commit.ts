// Commit: STORE-1 to STORE-4 of the contract, and who may append.

import { expect, test } from "vitest";
import type { Extension } from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import {
  born,
  extension,
  fileRow,
  hashOf,
  hex,
  messageRow,
  patched,
  processRow,
  textsOf,
} from "./rows.ts";

const fileOf = (process: number) =>
  ({ op: "file.put", row: fileRow("/mem/x", `"by ${process}"`, { space: process }) }) as const;

export function commitSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);

  test("what was committed is there when the store is opened again", async () => {
    await here.store.commit(
      [extension(1, 0, ["zero", "one"], { microUsd: 250_000, tokens: 7, toolCalls: 1 })],
      [born(1)],
    );
    await here.close(here.store);

    const again = await here.open();

    expect(await textsOf(again, 1)).toEqual(["zero", "one"]);
    expect(await again.chain(1)).toMatchObject({
      process: 1,
      node: "a",
      epoch: 1,
      seq: 1,
      microUsd: 250_000,
      tokens: 7,
      toolCalls: 1,
    });
    expect(hex((await again.chain(1))?.hash)).toBe(hex(hashOf("one")));
    expect((await again.records(1)).map((record) => hex(record.hash))).toEqual([
      hex(hashOf("zero")),
      hex(hashOf("one")),
    ]);
  });

  test("STORE-1: a write that breaks a constraint leaves nothing of its whole batch", async () => {
    await here.store.commit([], [born(1), born(2)]);

    const committing = here.store.commit(
      [
        extension(1, 0, ["zero"], { writes: [fileOf(1)] }),
        extension(2, 0, ["zero"], {
          writes: [
            { op: "message.add", row: messageRow(9, 1) },
            { op: "message.add", row: messageRow(9, 1) },
          ],
        }),
      ],
      [born(3)],
    );

    await expect(committing).rejects.toMatchObject({ code: "ESTORE" });
    expect(await here.store.allKeys()).toEqual([1, 2]);
    expect([await textsOf(here.store, 1), await textsOf(here.store, 2)]).toEqual([[], []]);
    expect((await here.store.chain(1))?.seq).toBe(-1);
    expect(await here.store.messages(1)).toEqual([]);
    expect(await here.store.file(1, 1, "/mem/x")).toBeUndefined();
  });

  test.each([
    ["another epoch", { epoch: 9 }],
    ["another end", { firstSeq: 4 }],
  ])(
    "STORE-2: of a batch of records alone, what is refused for %s goes with what it spent, and the rest is there",
    async (_, wrong) => {
      await here.store.commit([], [born(1), born(2)]);
      const spending = (process: number, more: Partial<Extension> = {}) => {
        const key = { tenant: 1, hour: 0, agent: "tester", root: process, what: "tool:x" };
        const spent = { microUsd: 5, tokens: 0, toolCalls: 1, overMicroUsd: 0, overTokens: 0 };
        const spend = [{ ...key, ...spent, calls: 1, unpriced: 0 }];
        return extension(process, 0, [`of ${process}`], { ...spent, spend, ...more });
      };

      const { fenced } = await here.store.commit([spending(2), spending(1, wrong)], []);
      const alone = await here.store.commit([spending(1, wrong)], []);

      expect([fenced, alone.fenced]).toEqual([[1], [1]]);
      expect(await textsOf(here.store, 1)).toEqual([]);
      expect(await here.store.chain(1)).toMatchObject({ seq: -1, microUsd: 0, toolCalls: 0 });
      expect(await textsOf(here.store, 2)).toEqual(["of 2"]);
      expect(await here.store.chain(2)).toMatchObject({ seq: 0, microUsd: 5, toolCalls: 1 });
      expect(await here.store.spend({ by: "root" })).toMatchObject([{ key: "2", microUsd: 5 }]);
    },
  );

  test.each(["microUsd", "tokens", "toolCalls", "overMicroUsd", "overTokens"] as const)(
    "a chain has the sum of what its records were paid for, where only %s was paid and where nothing was",
    async (unit) => {
      const nothing = { microUsd: 0, tokens: 0, toolCalls: 0, overMicroUsd: 0, overTokens: 0 };
      await here.store.commit([extension(1, 0, ["free"])], [born(1)]);

      await here.store.commit([extension(1, 1, ["paid", "paid"], { [unit]: 7 })], []);
      await here.store.commit([extension(1, 3, ["free"])], []);

      expect(await here.store.chain(1)).toMatchObject({ ...nothing, seq: 3, [unit]: 7 });
    },
  );

  test("after a batch that failed, the same records can be committed", async () => {
    await here.store.commit([extension(1, 0, ["zero"])], [born(1)]);
    await here.store.commit([extension(1, 1, ["one"])], [born(1)]).catch(() => {});

    const { fenced } = await here.store.commit([extension(1, 1, ["one"])], []);

    expect(fenced).toEqual([]);
    expect(await textsOf(here.store, 1)).toEqual(["zero", "one"]);
    expect(await here.store.unreached()).toEqual([]);
  });

  test("STORE-2: an old epoch is refused with its writes, and the rest of the batch goes through", async () => {
    await here.store.commit([], [born(1), born(2), born(3)]);

    const { fenced } = await here.store.commit(
      [1, 2, 3].map((key) =>
        extension(key, 0, [`of ${key}`], { epoch: key === 2 ? 0 : 1, writes: [fileOf(key)] }),
      ),
      [{ op: "message.add", row: messageRow(7, 2) }],
    );

    expect(fenced).toEqual([2]);
    expect(await Promise.all([1, 2, 3].map((key) => textsOf(here.store, key)))).toEqual([
      ["of 1"],
      [],
      ["of 3"],
    ]);
    expect(await here.store.file(1, 2, "/mem/x")).toBeUndefined();
    expect((await here.store.file(1, 3, "/mem/x"))?.data).toBe(`"by 3"`);
    expect(await here.store.countMessages(2, 0)).toBe(1);
  });

  test("STORE-2: an epoch from the future is refused too", async () => {
    await here.store.commit([], [born(1)]);

    const { fenced } = await here.store.commit([extension(1, 0, ["zero"], { epoch: 2 })], []);

    expect(fenced).toEqual([1]);
  });

  test.each([
    ["leaves one out", 2],
    ["repeats the last", 0],
  ])("STORE-2: an extension that %s is refused", async (_, firstSeq) => {
    await here.store.commit([extension(1, 0, ["zero"])], [born(1)]);

    const { fenced } = await here.store.commit(
      [extension(1, firstSeq, ["other"], { microUsd: 1_000_000, writes: [fileOf(1)] })],
      [],
    );

    expect(fenced).toEqual([1]);
    expect(await textsOf(here.store, 1)).toEqual(["zero"]);
    expect(await here.store.chain(1)).toMatchObject({ seq: 0, microUsd: 0 });
    expect(await here.store.file(1, 1, "/mem/x")).toBeUndefined();
  });

  test("STORE-2: an extension of a process that is not there is refused", async () => {
    const { fenced } = await here.store.commit(
      [extension(8, 0, ["zero"], { writes: [fileOf(8)] })],
      [],
    );

    expect(fenced).toEqual([8]);
    expect(await here.store.unreached()).toEqual([]);
    expect(await here.store.file(1, 8, "/mem/x")).toBeUndefined();
  });

  test("STORE-2: an extension without records is held to its epoch, not to a place in the chain", async () => {
    await here.store.commit([extension(1, 0, ["zero"])], [born(1), born(2)]);

    const { fenced } = await here.store.commit(
      [
        extension(1, 0, [], { writes: [fileOf(1)] }),
        extension(2, 0, [], { epoch: 9, writes: [fileOf(2)] }),
      ],
      [],
    );

    expect(fenced).toEqual([2]);
    expect(await here.store.file(1, 1, "/mem/x")).toBeDefined();
    expect(await here.store.file(1, 2, "/mem/x")).toBeUndefined();
  });

  test("STORE-3: a child that one extension adds can be extended by a later one of the same batch", async () => {
    await here.store.commit([], [born(1)]);

    const { fenced } = await here.store.commit(
      [
        extension(1, 0, ["spawn"], { writes: [born(2, { parent: 1 })] }),
        extension(2, 0, ["first"], { writes: [fileOf(2)] }),
      ],
      [],
    );

    expect(fenced).toEqual([]);
    expect(await textsOf(here.store, 2)).toEqual(["first"]);
    expect((await here.store.processByKey(2))?.parent).toBe(1);
  });

  test("STORE-3: the child of a refused extension is not there, and its own extension is refused as well", async () => {
    await here.store.commit([], [born(1)]);

    const { fenced } = await here.store.commit(
      [extension(1, 5, ["spawn"], { writes: [born(2)] }), extension(2, 0, ["first"])],
      [],
    );

    expect(fenced).toEqual([1, 2]);
    expect(await here.store.allKeys()).toEqual([1]);
  });

  test("STORE-3: two extensions of one process follow each other", async () => {
    await here.store.commit([], [born(1)]);

    const { fenced } = await here.store.commit(
      [
        extension(1, 0, ["zero", "one"], {
          microUsd: 1_000_000,
          tokens: 10,
          toolCalls: 1,
          writes: [patched(1, { state: "waiting" })],
        }),
        extension(1, 2, ["two"], {
          microUsd: 2_000_000,
          tokens: 20,
          writes: [patched(1, { state: "running" })],
        }),
      ],
      [],
    );

    expect(fenced).toEqual([]);
    expect(await textsOf(here.store, 1)).toEqual(["zero", "one", "two"]);
    expect(await here.store.chain(1)).toMatchObject({
      seq: 2,
      microUsd: 3_000_000,
      tokens: 30,
      toolCalls: 1,
    });
    expect(hex((await here.store.chain(1))?.hash)).toBe(hex(hashOf("two")));
    expect((await here.store.processByKey(1))?.state).toBe("running");
  });

  test("STORE-4: what belongs to one tenant is not another's", async () => {
    const other = await here.store.tenantKey("other");
    await here.store.commit(
      [extension(2, 0, ["theirs"], { tenant: other })],
      [
        born(1),
        { op: "process.add", row: processRow(2, { tenant: other }), node: "a" },
        { op: "file.put", row: fileRow("/mem/shared/x", `"theirs"`, { tenant: other, space: 0 }) },
        { op: "blob.put", tenant: other, process: 2, digest: "d", body: "theirs" },
        { op: "manifest.put", tenant: other, hash: "h", body: "theirs" },
        { op: "subscription.add", tenant: other, process: 2, topic: "news" },
      ],
    );

    expect((await here.store.processes({ tenant: other })).map((row) => row.key)).toEqual([2]);
    expect((await here.store.processes({}))[0]).not.toHaveProperty("output"); // it may be large
    expect((await here.store.records(2)).map((record) => record.tenant)).toEqual([other]);
    expect(await here.store.file(1, 0, "/mem/shared/x")).toBeUndefined();
    expect(await here.store.files({ tenant: 1, space: 0, under: "/mem", limit: 10 })).toEqual([]);
    expect(await here.store.blob(1, "d")).toBeUndefined();
    expect(await here.store.manifest(1, "h")).toBeUndefined();
    const readersOf = async (tenant: number) =>
      (await here.store.subscribers(tenant, "news")).subscribers.map(({ process }) => process);
    expect(await readersOf(1)).toEqual([]);
    expect(await readersOf(other)).toEqual([2]);
  });

  test("a record is kept to the letter", async () => {
    const texts = [
      `{"a":"\\u0000 \\ud800 \\\\ \\"q\\" {x,y} NULL"}`,
      "ü 漢 🙂 \t\r\n ' $1 ? \\x41",
      "",
      "NULL",
      "x".repeat(300_000),
    ];

    await here.store.commit([extension(1, 0, texts)], [born(1)]);

    expect(await textsOf(here.store, 1)).toEqual(texts);
  });

  test("many batches at once all go through, in order for each process", async () => {
    const keys = Array.from({ length: 20 }, (_, nth) => nth + 1);
    await here.store.commit(
      [],
      keys.map((key) => born(key)),
    );

    const results = [];
    for (let seq = 0; seq < 10; seq++) {
      const order = seq % 2 === 0 ? keys : keys.toReversed();
      results.push(
        ...(await Promise.all(
          [0, 1, 2, 3].map((part) =>
            here.store.commit(
              order
                .filter((key) => key % 4 === part)
                .map((key) =>
                  extension(key, seq, [`${key}:${seq}`], {
                    microUsd: 500_000,
                    tokens: 1,
                    toolCalls: 2,
                  }),
                ),
              [],
            ),
          ),
        )),
      );
    }

    expect(results.flatMap((result) => result.fenced)).toEqual([]);
    for (const key of keys)
      expect(await textsOf(here.store, key)).toEqual(
        Array.from({ length: 10 }, (_, seq) => `${key}:${seq}`),
      );
    expect(await here.store.chain(7)).toMatchObject({
      microUsd: 5_000_000,
      tokens: 10,
      toolCalls: 20,
    });
  });
}
