// Boot: what happens when a store is opened, and which processes a node then takes.

import { expect, test } from "vitest";
import { SCHEMA_VERSION } from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import {
  born,
  ended,
  extension,
  messageRow,
  patched,
  questionRow,
  signalRow,
  textsOf,
} from "./rows.ts";

export function bootSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);

  test("opening a database again changes nothing in it", async () => {
    await here.store.commit([extension(1, 0, ["zero"])], [born(1)]);

    await here.behindItsBack("select 1");
    await here.behindItsBack("select 1");

    expect(await textsOf(here.store, 1)).toEqual(["zero"]);
    expect(await here.store.tenantName(1)).toBe("default");
  });

  test("a database of a newer version is refused, with both versions and the way out", async () => {
    await here.close(here.store);
    await here.database.execute(`insert into aos_version values (${SCHEMA_VERSION + 1}, 'later')`);

    const opening = here.open();

    await expect(opening).rejects.toMatchObject({
      code: "ESTORE",
      message: expect.stringContaining(
        `has schema version ${SCHEMA_VERSION + 1}, and this program knows versions up to ${SCHEMA_VERSION}`,
      ),
      hint: expect.stringContaining("newer version of Agent OS"),
    });
  });

  test("the store says where it is, and no password", () => {
    expect(here.store.name).toMatch(
      here.database.kind === "sqlite" ? /aos\.db$/ : /^the database test\d+ at 127\.0\.0\.1:\d+$/,
    );
    expect(here.store.name).not.toContain("secret");
  });

  test("a claim takes the living with a new epoch, and the old epoch can no longer append", async () => {
    await here.store.commit(
      [extension(1, 0, ["zero"])],
      [born(1, {}, "before"), born(2, {}, "before"), ended(2)],
    );

    const toLoad = await here.store.claim("now", 10_000);

    expect(toLoad).toEqual([1]);
    expect(await here.store.chain(1)).toMatchObject({ node: "now", epoch: 2, seq: 0 });
    expect(await here.store.chain(2)).toMatchObject({ node: "before", epoch: 1 });
    expect((await here.store.commit([extension(1, 1, ["late"])], [])).fenced).toEqual([1]);
    expect((await here.store.commit([extension(1, 1, ["one"], { epoch: 2 })], [])).fenced).toEqual(
      [],
    );
    expect(await textsOf(here.store, 1)).toEqual(["zero", "one"]);
  });

  test("a claim takes what an earlier boot of the same node left", async () => {
    await here.store.renewNode("a", 99_000);
    await here.store.commit([], [born(1, {}, "a")]);
    await here.close(here.store);

    const later = await here.open();

    expect(await later.claim("a", 10_000)).toEqual([1]);
    expect((await later.chain(1))?.epoch).toBe(2);
  });

  test("a claim names those that run and those whose wait is over, not those that still wait", async () => {
    await here.store.commit(
      [],
      [
        born(1, { state: "pending" }),
        born(2),
        born(3, { state: "waiting", waitingOn: "message" }),
        born(4, { state: "waiting", waitingOn: "message" }),
        { op: "message.add", row: messageRow(1, 4) },
        born(5, { state: "waiting", waitingOn: "child" }),
        born(6, { state: "waiting", waitingOn: "child" }),
        born(7, { parent: 6 }),
        ended(7),
        born(8, { state: "waiting", waitingOn: "approval" }),
        born(9, { state: "waiting", waitingOn: "approval" }),
        { op: "question.put", row: questionRow("q8", 8) },
        { op: "question.put", row: questionRow("q9", 9) },
        { op: "question.answer", id: "q9", answer: "yes", reason: null, by: "ann", at: 1 },
        born(10, { state: "waiting", waitingOn: "timer", wakeAt: 5 }),
        born(11, { state: "paused" }),
        born(12, { state: "paused", waitingOn: "message" }),
        { op: "signal.add", row: signalRow(1, 12) },
        born(13, { state: "waiting", waitingOn: "message" }),
        { op: "signal.add", row: signalRow(2, 13) },
        born(14, { state: "pending" }),
        { op: "signal.add", row: signalRow(3, 14) },
      ],
    );

    const toLoad = await here.store.claim("b", 10_000);

    expect(toLoad.toSorted((one, two) => one - two)).toEqual([2, 4, 6, 9, 12, 13, 14]);
    expect((await here.store.chain(3))?.node).toBe("b");
  });

  test("those whose time has come are due on their own node, and the next time is known", async () => {
    const sleeper = (key: number, wakeAt: number, node: string) =>
      born(key, { state: "waiting", waitingOn: "timer", wakeAt }, node);
    await here.store.commit(
      [],
      [
        sleeper(1, 3000, "a"),
        sleeper(2, 2000, "a"),
        sleeper(3, 5000, "a"),
        sleeper(4, 1000, "b"),
        sleeper(5, 4500, "b"),
        born(6, { wakeAt: 1000 }), // it runs
        born(7, { state: "pending", wakeAt: 2500 }),
        born(8, { state: "paused", wakeAt: 2700 }),
      ],
    );

    expect(await here.store.due("a", 3000)).toEqual({ due: [2, 7, 8, 1], nextAt: 5000 });
    await here.store.commit(
      [],
      [1, 2, 3, 7, 8].map((key) => patched(key, { wakeAt: null })),
    );

    expect(await here.store.due("a", 9000)).toEqual({ due: [], nextAt: null });
  });
}
