// Numbers: whole in every column, whatever they were made from; and text that a database may
// not want. PostgreSQL refuses what SQLite keeps, and a refused commit stops a kernel.

import { expect, test } from "vitest";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, extension, fileRow, messageRow, patched, questionRow, signalRow } from "./rows.ts";

export function numbersSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);

  test("a fraction of a millisecond or of a token is left out of every row", async () => {
    const spend = { tenant: 1, hour: 0, agent: "a", root: 1, what: "model:x" };
    const grown = extension(1, 0, ["a"]);
    grown.microUsd = 250.5;
    grown.tokens = 10.5;
    grown.spend.push({
      ...spend,
      microUsd: 250.5,
      tokens: 10.5,
      toolCalls: 0,
      calls: 1,
      unpriced: 0,
      overMicroUsd: 0,
      overTokens: 0,
    });
    await here.store.commit(
      [grown],
      [
        born(1),
        patched(1, { wakeAt: 1_900_000_000_000.7, begunAt: 5.2 }),
        { op: "signal.add", row: { ...signalRow(5, 1), sentAt: 7.9 } },
        { op: "message.add", row: { ...messageRow(6, 1), sentAt: 8.5 } },
        { op: "question.put", row: { ...questionRow("ask_1", 1), askedAt: 9.1, expiresAt: 1e300 } },
      ],
    );

    expect(await here.store.processByKey(1)).toMatchObject({
      wakeAt: 1_900_000_000_000,
      begunAt: 5,
    });
    expect(await here.store.signals(1)).toMatchObject([{ sentAt: 7 }]);
    expect(await here.store.messages(1)).toMatchObject([{ sentAt: 8 }]);
    expect(await here.store.question("ask_1")).toMatchObject({
      askedAt: 9,
      expiresAt: Number.MAX_SAFE_INTEGER,
    });
    expect(await here.store.chain(1)).toMatchObject({ tokens: 10, microUsd: 250 });
    expect(await here.store.spend({ by: "all" })).toMatchObject([{ tokens: 10, microUsd: 250 }]);
  });

  test("a question may have a fraction in it", async () => {
    await here.store.commit([extension(1, 0, ["a"])], [born(1)]);

    await here.store.renewNode("a", 5000.5);

    expect(await here.store.grownSince(0.5)).toHaveLength(1);
    expect(await here.store.ledgersGrownSince(0.5)).toEqual([]);
    expect(await here.store.due("a", Date.now() + 0.25)).toEqual({ due: [], nextAt: null });
    await here.store.claim("b", 4000.25);
    expect(await here.store.askedSince(1, 0.5)).toEqual([]);
    await here.store.otherNodes("b", 4000.5);
  });

  test("a zero character in a path or a text refuses no commit", async () => {
    const row = fileRow("/mem/shared/a\u0000b", '"x\u0000y"');
    const question = { ...questionRow("ask_1", 1), question: "may\u0000 I?" };

    await here.store.commit(
      [],
      [born(1), { op: "file.put", row }, { op: "question.put", row: question }],
    );

    expect(await here.store.allFiles()).toHaveLength(1);
    expect((await here.store.question("ask_1"))?.question).toMatch(/^may/);
  });
}
