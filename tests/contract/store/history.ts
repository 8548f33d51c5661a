// History: what a fork shares, what compaction may take, and records that nothing leads to.

import { describe, expect, test } from "vitest";
import type { Write } from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import {
  born,
  ended,
  extension,
  fileRow,
  forked,
  hashOf,
  hex,
  messageRow,
  questionRow,
  signalRow,
  textsOf,
} from "./rows.ts";

const blob = (process: number, digest: string): Write => ({
  op: "blob.put",
  tenant: 1,
  process,
  digest,
  body: `body of ${digest}`,
});

export function historySuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);
  const blobs = async () => {
    const digests: string[] = [];
    for await (const { digest } of here.store.blobs()) digests.push(digest);
    return digests.sort();
  };

  test("records can be asked for by a range", async () => {
    await here.store.commit([extension(1, 0, ["0", "1", "2", "3", "4"])], [born(1)]);

    expect(await textsOf(here.store, 1, { after: 2 })).toEqual(["3", "4"]);
    expect(await textsOf(here.store, 1, { upTo: 1 })).toEqual(["0", "1"]);
    expect(await textsOf(here.store, 1, { after: 0, upTo: 2 })).toEqual(["1", "2"]);
    expect(await textsOf(here.store, 1, { after: 4 })).toEqual([]);
    expect(await textsOf(here.store, 2)).toEqual([]);
  });

  test("the chains that grew since a time are known by their ends", async () => {
    await here.store.commit(
      [
        extension(1, 0, ["0"], { at: 2000 }),
        extension(2, 0, ["0", "1"], { at: 3000 }),
        extension(2, 2, ["2"], { at: 3001 }),
      ],
      [born(1), born(2), born(3)],
    );

    const grown = await here.store.grownSince(2001);

    expect(grown.map(({ pid, seq, hash }) => [pid, seq, hex(hash)])).toEqual([
      ["agt_0002", 2, hex(hashOf("2"))],
    ]);
    expect(await here.store.grownSince(2000)).toHaveLength(2);
    expect(await here.store.grownSince(3002)).toEqual([]);
  });

  test("what was written after a record is known, in the order of the commits and their extensions", async () => {
    await here.store.commit(
      [extension(2, 0, ["2:0", "2:1"]), extension(1, 0, ["1:0"])],
      [born(1), born(2)],
    );
    await here.store.commit([extension(1, 1, ["1:1"]), extension(2, 2, ["2:2"])], []);
    await here.store.commit([extension(3, 1, ["3:1"])], [forked(3, { from: 1, at: 0 })]);
    const after = async (key: number, seq: number, limit = 100) =>
      (await here.store.writtenAfter((await here.store.placeOf(key, seq))!, limit)).map(
        ({ process, text }) => [process, text],
      );

    expect(await after(2, 0)).toEqual([
      [2, "2:1"],
      [1, "1:0"],
      [1, "1:1"],
      [2, "2:2"],
      [3, "3:1"],
    ]);
    expect(await after(1, 1)).toEqual([
      [2, "2:2"],
      [3, "3:1"],
    ]);
    expect(await after(1, 0, 1)).toEqual([[1, "1:1"]]);
    expect(await after(3, 1)).toEqual([]);
    const nowhere = [here.store.placeOf(1, 2), here.store.placeOf(9, 0), here.store.placeOf(3, 0)];
    expect(await Promise.all(nowhere)).toEqual([undefined, undefined, undefined]);
  });

  test("a record that was compacted has no place, and those after it keep theirs", async () => {
    await here.store.commit(
      [extension(1, 0, ["1:0"]), extension(2, 0, ["2:0"])],
      [born(1), born(2)],
    );
    await here.store.commit([extension(2, 1, ["2:1"])], [ended(1)]);
    await here.store.compact([1]);

    expect(await here.store.placeOf(1, 0)).toBeUndefined();
    const rows = await here.store.writtenAfter((await here.store.placeOf(2, 0))!, 9);
    expect(rows.map(({ text }) => text)).toEqual(["2:1"]);
  });

  test("records of a tenant are found by the words in them, in a span of places, the newest first", async () => {
    const texts = ['{"call":"write","path":"/a"}', '{"call":"read","path":"/a"}', '{"fd":1}'];
    await here.store.commit([extension(1, 0, texts), extension(2, 0, ["%"])], [born(1), born(2)]);
    const last = await here.store.lastPlace();
    const found = async (words: string[][], after = 0, upTo = last, tenant = 1) =>
      (await here.store.recordsWith({ tenant, after, upTo, words })).map(({ text }) => text);
    const [first, second, third] = texts;
    const middle = (await here.store.placeOf(1, 1))!;

    expect(last).toBe(await here.store.placeOf(2, 0));
    expect(await found([['"path":"/a"']])).toEqual([second, first]);
    expect(await found([['"path":"/a"', '"write"'], ['"fd"']])).toEqual([third, first]);
    expect(await found([['"path":"/a"']], middle)).toEqual([]);
    expect(await found([['"path":"/a"']], 0, middle - 1)).toEqual([first]);
    expect(await found([["%"]])).toEqual(["%"]); // a word, no pattern
    expect(await found([['"path":"/a"']], 0, last, 2)).toEqual([]);
  });

  describe("fork", () => {
    test("shares the history up to its point, and goes on by itself", async () => {
      await here.store.commit([extension(1, 0, ["0", "1", "2"])], [born(1)]);
      await here.store.commit([extension(2, 2, ["two'"])], [forked(2, { from: 1, at: 1 })]);
      await here.store.commit([extension(1, 3, ["3"])], []);

      const records = await here.store.records(2);

      expect(records.map(({ process, seq, text }) => [process, seq, text])).toEqual([
        [1, 0, "0"],
        [1, 1, "1"],
        [2, 2, "two'"],
      ]);
      expect(await textsOf(here.store, 2, { after: 0, upTo: 1 })).toEqual(["1"]);
      expect(await textsOf(here.store, 1)).toEqual(["0", "1", "2", "3"]);
    });

    test("has the shared records before it has any of its own, and their end as its end", async () => {
      await here.store.commit([extension(1, 0, ["0", "1"])], [born(1)]);
      await here.store.commit([], [forked(2, { from: 1, at: 0 }, hashOf("0"))]);

      expect(await textsOf(here.store, 2)).toEqual(["0"]);
      expect((await here.store.chain(2))?.seq).toBe(0);
      expect(hex((await here.store.chain(2))?.hash)).toBe(hex(hashOf("0")));
    });

    test("of a fork shares what that one shares, also from before its own beginning", async () => {
      await here.store.commit([extension(1, 0, ["0", "1", "2", "3"])], [born(1)]);
      await here.store.commit([extension(2, 3, ["3'", "4'"])], [forked(2, { from: 1, at: 2 })]);

      await here.store.commit(
        [extension(3, 4, ["4''"]), extension(4, 2, ["2'"])],
        [forked(3, { from: 2, at: 3 }), forked(4, { from: 2, at: 1 })],
      );

      expect(await textsOf(here.store, 3)).toEqual(["0", "1", "2", "3'", "4''"]);
      expect(await textsOf(here.store, 4)).toEqual(["0", "1", "2'"]);
      expect(await here.store.unreached()).toEqual([]);
    });

    test("from nothing at all shares nothing", async () => {
      await here.store.commit([extension(1, 0, ["0"])], [born(1)]);

      const committing = here.store.commit([], [forked(2, { from: 1, at: 1 })]);

      await expect(committing).rejects.toMatchObject({ code: "ESTORE" });
      expect(await here.store.allKeys()).toEqual([1]);
    });

    test("of a process of the same batch works", async () => {
      await here.store.commit(
        [
          extension(1, 0, ["0", "1"], { writes: [forked(2, { from: 1, at: 0 })] }),
          extension(2, 1, ["1'"]),
        ],
        [born(1)],
      );

      expect(await textsOf(here.store, 2)).toEqual(["0", "1'"]);
    });
  });

  describe("compaction", () => {
    const everything = (key: number): Write[] => [
      { op: "message.add", row: messageRow(key * 10, key) },
      { op: "signal.add", row: signalRow(key * 10, key) },
      { op: "question.put", row: questionRow(`q${key}`, key) },
      { op: "subscription.add", tenant: 1, process: key, topic: "news" },
      { op: "file.put", row: fileRow("/mem/working/x", "1", { space: key }) },
      { op: "core.put", tenant: 1, process: key, body: "{}" },
    ];

    test("takes all but the result and the chain's end, of that run only", async () => {
      await here.store.commit(
        [
          extension(1, 0, ["0", "1"], {
            microUsd: 2_000_000,
            writes: [...everything(1), ended(1)],
          }),
          extension(2, 0, ["0"], { writes: everything(2) }),
        ],
        [born(1), born(2)],
      );

      expect(await here.store.compact([1])).toEqual({ records: 2 });

      expect(await textsOf(here.store, 1)).toEqual([]);
      expect(await here.store.processByKey(1)).toMatchObject({
        compacted: true,
        state: "completed",
        output: "done",
        exitCode: 0,
      });
      expect(await here.store.chain(1)).toMatchObject({ seq: 1, microUsd: 2_000_000 });
      expect([
        await here.store.messages(1),
        await here.store.signals(1),
        await here.store.questionsOf(1),
      ]).toEqual([[], [], []]);
      expect([await here.store.file(1, 1, "/mem/working/x"), await here.store.core(1)]).toEqual([
        undefined,
        undefined,
      ]);
      expect(await textsOf(here.store, 2)).toEqual(["0"]);
      expect(await here.store.countMessages(2, 0)).toBe(1);
      expect(await here.store.file(1, 2, "/mem/working/x")).toBeDefined();
      expect(await here.store.unreached()).toEqual([]);
    });

    test("is offered the finished, oldest first, until they are compacted", async () => {
      await here.store.commit(
        [
          extension(1, 0, ["12345", "678"], { writes: [ended(1, 6000)] }),
          extension(2, 0, ["0"], { writes: [ended(2, 5000)] }),
        ],
        [born(1), born(2), born(3)],
      );

      const before = await here.store.finished();
      await here.store.compact([2]);

      expect(before).toEqual([
        { key: 2, pid: "agt_0002", root: 2, endedAt: 5000, records: 1, bytes: 1 },
        { key: 1, pid: "agt_0001", root: 1, endedAt: 6000, records: 2, bytes: 8 },
      ]);
      expect((await here.store.finished()).map((run) => run.key)).toEqual([1]);
      expect(await here.store.compact([2])).toEqual({ records: 0 });
    });

    test("says how many have finished in a time, and what they take", async () => {
      await here.store.commit(
        [
          extension(1, 0, ["12345", "678"], { writes: [ended(1, 6000)] }),
          extension(2, 0, ["0"], { writes: [ended(2, 5000)] }),
        ],
        [born(1), born(2), born(3)],
      );
      const between = (from: number, to: number) => here.store.finishedBetween(from, to);

      expect(await between(0, Infinity)).toEqual({ runs: 2, bytes: 9 });
      expect(await between(5000, 6000)).toEqual({ runs: 1, bytes: 1 });
      expect(await between(5001, 6001)).toEqual({ runs: 1, bytes: 8 });
      await here.store.compact([2]);
      expect(await between(0, Infinity)).toEqual({ runs: 1, bytes: 8 });
      expect(await between(7000, 8000)).toEqual({ runs: 0, bytes: 0 });
    });

    test("leaves a run that has not ended alone", async () => {
      await here.store.commit([extension(1, 0, ["0"])], [born(1)]);

      expect(await here.store.compact([1])).toEqual({ records: 0 });

      expect(await textsOf(here.store, 1)).toEqual(["0"]);
    });

    test("keeps shared history while a fork needs it, and finished() does not offer it", async () => {
      await here.store.commit([extension(1, 0, ["0", "1"], { writes: [ended(1)] })], [born(1)]);
      await here.store.commit([extension(2, 1, ["1'"])], [forked(2, { from: 1, at: 0 })]);

      expect(await here.store.finished()).toEqual([]);
      expect(await here.store.compact([1])).toEqual({ records: 0 });
      expect(await textsOf(here.store, 2)).toEqual(["0", "1'"]);

      await here.store.commit([], [ended(2)]);
      expect((await here.store.finished()).map((run) => run.key)).toEqual([2]);
      expect(await here.store.compact([2])).toEqual({ records: 1 });
      expect(await textsOf(here.store, 2)).toEqual([]);
      expect(await textsOf(here.store, 1)).toEqual(["0", "1"]);
      expect((await here.store.finished()).map((run) => run.key)).toEqual([1]);
    });

    test("leaves no history to fork from", async () => {
      await here.store.commit([extension(1, 0, ["0"], { writes: [ended(1)] })], [born(1)]);
      await here.store.compact([1]);

      await expect(here.store.commit([], [forked(2, { from: 1, at: 0 })])).rejects.toMatchObject({
        code: "ESTORE",
      });
    });

    test("is not undone by what others write later", async () => {
      await here.store.commit([extension(1, 0, ["0"], { writes: [ended(1)] })], [born(1)]);
      await here.store.compact([1]);
      await here.close(here.store);

      const later = await here.open();
      await later.commit([extension(2, 0, ["other"])], [born(2)]);

      expect(await textsOf(later, 1)).toEqual([]);
      expect(await textsOf(later, 2)).toEqual(["other"]);
      expect(await later.unreached()).toEqual([]);
    });

    test("drops a blob with its last use", async () => {
      await here.store.commit(
        [],
        [
          born(1),
          born(2),
          blob(1, "own"),
          blob(1, "both"),
          blob(2, "both"),
          blob(2, "other"),
          ended(1),
          ended(2),
        ],
      );

      expect(await here.store.blob(1, "both")).toBe("body of both");
      await here.store.compact([1]);
      expect(await blobs()).toEqual(["both", "other"]);
      await here.store.compact([2]);
      expect(await blobs()).toEqual([]);
    });

    test("can be followed by shrinking", async () => {
      await here.store.commit(
        [extension(1, 0, ["x".repeat(100_000)], { writes: [ended(1)] })],
        [born(1)],
      );
      await here.store.compact([1]);

      await here.store.shrink();

      expect((await here.store.processByKey(1))?.compacted).toBe(true);
    });
  });

  test("all blobs can be walked through, however many", async () => {
    const digests = Array.from({ length: 250 }, (_, nth) => `d${String(nth).padStart(3, "0")}`);
    await here.store.commit([], [born(1), ...digests.map((digest) => blob(1, digest))]);

    expect(await blobs()).toEqual(digests);
  });

  test("a record that no chain leads to is found", async () => {
    await here.store.commit([extension(1, 0, ["0"])], [born(1)]);
    expect(await here.store.unreached()).toEqual([]);

    await here.behindItsBack(
      here.database.kind === "sqlite"
        ? "insert into journal values (500, 1, 1, 0, 'planted', x'00'), (501, 1, 77, 0, 'of nobody', x'00')"
        : "insert into journal values (1, 5, 1, 'planted', '\\x00'), (77, 0, 1, 'of nobody', '\\x00')",
    );

    expect(await here.store.unreached()).toEqual([
      { process: 1, text: "planted" },
      { process: 77, text: "of nobody" },
    ]);
    expect(await textsOf(here.store, 1)).toEqual(["0"]);
  });
}
