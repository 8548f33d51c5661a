// Fleets: an item is begun once for each attempt, with its run or without, whoever asks and however often.

import { expect, test } from "vitest";
import {
  fleetWrite,
  type FleetChange,
  type FleetItemRow,
  type FleetRow,
  type FleetRunRow,
  type Write,
} from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, extension } from "./rows.ts";

const fleet = (more: Partial<FleetRow> = {}): FleetRow => ({
  key: 50,
  tenant: 1,
  name: "mail",
  node: "a",
  revision: 1,
  spec: "{}",
  paused: null,
  draining: null,
  replicas: 1,
  scaledAt: 1,
  isTended: false,
  month: 202601,
  monthMicroUsd: 0,
  monthTokens: 0,
  createdAt: 1,
  updatedAt: 1,
  ...more,
});

const item = (id: string, more: Partial<FleetItemRow> = {}): FleetItemRow => ({
  fleet: 50,
  id,
  tenant: 1,
  state: "waiting",
  attempt: 0,
  crashes: 0,
  version: null,
  pid: null,
  process: null,
  reason: null,
  input: "1",
  label: "trusted/public",
  sentAt: 10,
  sentBy: "me",
  notBefore: 10,
  begunAt: null,
  endedAt: null,
  microUsd: 0,
  tokens: 0,
  ...more,
});

const run = (id: string, process: number): FleetRunRow => ({
  fleet: 50,
  item: id,
  pid: `agt_000${process}`,
  process,
  tenant: 1,
  version: 1,
  at: 20,
  endedAt: null,
  isError: false,
  microUsd: 0,
  tokens: 0,
});

const change = (what: FleetChange): Write => fleetWrite(what);
const add = (more: Partial<FleetRow> = {}) => change({ op: "fleet.put", row: fleet(more), was: 0 });
const send = (id: string, more: Partial<FleetItemRow> = {}) =>
  change({ op: "item.send", row: item(id, more) });
const begin = (id: string, birth: number, { was = 0, revision = 1 } = {}) =>
  [
    change({ op: "item.take", run: run(id, birth), was, revision, birth }),
    born(birth),
  ] satisfies Write[];
const end = (id: string, process: number, more: object = {}) =>
  change({
    op: "item.end",
    fleet: 50,
    id,
    process,
    state: "done",
    reason: null,
    notBefore: 30,
    at: 30,
    isError: false,
    microUsd: 7,
    tokens: 3,
    month: 202602,
    ...more,
  });

export function fleetsSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);

  test("an item is begun once for each attempt, and only the first run is born (FLEET-WRITES-1)", async () => {
    await here.store.commit([], [add(), send("i")]);

    const first = await here.store.commit([extension(1, 0, ["start"])], begin("i", 1));
    const second = await here.store.commit([extension(2, 0, ["start"])], begin("i", 2));

    expect([first.fenced, second.fenced]).toEqual([[], [2]]);
    expect(await here.store.fleetItem(50, "i")).toMatchObject({ attempt: 1, process: 1 });
    expect(await here.store.processByKey(2)).toBeUndefined();
    expect(await here.store.runningItems(50)).toHaveLength(1);
  });

  test("two attempts in one commit are one, and what else is in it goes through (FLEET-WRITES-1)", async () => {
    await here.store.commit([], [add(), send("i")]);

    const { fenced } = await here.store.commit(
      [extension(1, 0, ["start"]), extension(2, 0, ["start"]), extension(3, 0, ["start"])],
      [...begin("i", 1), ...begin("i", 2), born(3)],
    );

    expect(fenced).toHaveLength(1);
    expect(await here.store.processByKey(3)).toBeDefined();
  });

  test.each([
    ["changed", { revision: 2 }],
    ["paused", { revision: 1, paused: "by me" }],
    ["drained", { revision: 1, draining: "by me" }],
  ])("nothing of a fleet that was %s meanwhile is begun (FLEET-WRITES-1)", async (_how, more) => {
    await here.store.commit([], [add(), send("i")]);
    await here.store.commit([], [change({ op: "fleet.put", row: fleet(more), was: 1 })]);

    const late = await here.store.commit([extension(1, 0, ["start"])], begin("i", 1));

    expect(late.fenced).toEqual([1]);
    expect(await here.store.fleetItem(50, "i")).toMatchObject({ state: "waiting", attempt: 0 });
  });

  test("the end of an attempt counts once, in its month (FLEET-WRITES-2)", async () => {
    await here.store.commit([], [add(), send("i")]);
    await here.store.commit([], begin("i", 1));

    await here.store.commit([], [end("i", 1), end("i", 1)]);
    await here.store.commit([], [end("i", 1, { state: "dead" })]);

    expect(await here.store.fleetItem(50, "i")).toMatchObject({ state: "done", microUsd: 7 });
    expect(await here.store.fleetByKey(50)).toMatchObject({ month: 202602, monthMicroUsd: 7 });
    expect(await here.store.fleetRuns({ fleet: 50, limit: 9 })).toMatchObject([
      { process: 1, endedAt: 30, microUsd: 7 },
    ]);
  });

  test("a failed attempt waits again, and the end of the one before does not touch the next", async () => {
    await here.store.commit([], [add(), send("i")]);
    await here.store.commit([], begin("i", 1));
    const failed = { state: "waiting", reason: "no", isError: true };

    await here.store.commit([], [end("i", 1, failed)]);
    await here.store.commit([], begin("i", 2, { was: 1 }));
    await here.store.commit([], [end("i", 1, { state: "dead" })]);

    expect(await here.store.fleetItem(50, "i")).toMatchObject({
      state: "running",
      attempt: 2,
      process: 2,
    });
  });

  test("an item is there once for each id, and a drained fleet takes none (FLEET-WRITES-3)", async () => {
    await here.store.commit([], [add(), send("i")]);
    await here.store.commit([], [send("i", { input: "2" })]);
    await here.store.commit(
      [],
      [change({ op: "fleet.put", row: fleet({ revision: 2, draining: "by me" }), was: 1 })],
    );
    await here.store.commit([], [send("late")]);
    await here.store.commit([], [send("stray", { fleet: 51 })]);

    expect(await here.store.fleetItem(50, "i")).toMatchObject({ input: "1" });
    expect(await here.store.fleetItem(50, "late")).toBeUndefined();
    expect(await here.store.fleetItem(51, "stray")).toBeUndefined();
  });

  test("the death of a host counts for what ran and has not ended", async () => {
    await here.store.commit([], [add(), send("runs"), send("waits")]);
    await here.store.commit([], begin("runs", 1));

    await here.store.commit([], [change({ op: "item.crash", fleet: 50, at: 40 })]);

    expect(await here.store.fleetItem(50, "runs")).toMatchObject({ crashes: 1 });
    expect(await here.store.fleetItem(50, "waits")).toMatchObject({ crashes: 0 });
    expect(await here.store.endedItems(50)).toEqual([]);
  });

  test("what is due comes in the order in which it was sent, and is counted by state", async () => {
    await here.store.commit(
      [],
      [
        add(),
        send("b", { sentAt: 5, notBefore: 5 }),
        send("a", { sentAt: 5, notBefore: 5 }),
        send("first", { sentAt: 1, notBefore: 1 }),
        send("later", { notBefore: 99 }),
        send("dead", { state: "dead", reason: "no", endedAt: 12 }),
      ],
    );

    const due = await here.store.dueItems(50, 20, 9);

    expect(due.map(({ id }) => id)).toEqual(["first", "a", "b"]);
    expect(await here.store.fleetCounts(50)).toEqual({
      waiting: 4,
      running: 0,
      done: 0,
      dead: 1,
      oldestAt: 1,
    });
    const [newest] = await here.store.fleetItems({ fleet: 50, limit: 1 });
    const after = { fleet: 50, before: { at: newest!.sentAt, id: newest!.id }, limit: 2 };
    expect((await here.store.fleetItems(after)).map(({ id }) => id)).toEqual(["dead", "b"]);
    const dead = await here.store.fleetItems({ fleet: 50, state: "dead", limit: 9 });
    expect(dead.map(({ id }) => id)).toEqual(["dead"]);
  });

  test("a dead item waits again with all its attempts, another does not", async () => {
    await here.store.commit([], [add(), send("dead", { state: "dead" }), send("i")]);
    await here.store.commit([], begin("i", 1));

    for (const id of ["dead", "i"])
      await here.store.commit([], [change({ op: "item.retry", fleet: 50, id, at: 50 })]);

    expect(await here.store.fleetItem(50, "dead")).toMatchObject({ state: "waiting", attempt: 0 });
    expect(await here.store.fleetItem(50, "i")).toMatchObject({ state: "running" });
  });

  test("a change of another revision changes nothing, a name is there once, and removal takes all", async () => {
    await here.store.commit([], [add(), send("i")]);
    await here.store.commit([], begin("i", 1));
    await here.store.commit([], [add({ key: 51 })]);
    await here.store.commit(
      [],
      [change({ op: "fleet.put", row: fleet({ revision: 5, spec: "[]" }), was: 4 })],
    );
    expect(await here.store.fleets()).toEqual([fleet()]);

    await here.store.commit([], [change({ op: "fleet.remove", key: 50 })]);

    expect(await here.store.fleets()).toEqual([]);
    expect(await here.store.fleetItem(50, "i")).toBeUndefined();
    expect(await here.store.processByKey(1)).toBeDefined();
  });

  test("what items and events say is found, and those that are over apart from those that are not", async () => {
    const said = { input: '"the ferry"', state: "done", endedAt: 1 } as const;
    const event = { fleet: 50, id: "e", tenant: 1, at: 1, what: "dead", by: "me", detail: "Ferry" };
    await here.store.commit(
      [],
      [add(), send("over", said), send("open", { input: '"the ferry"' }), send("other")],
    );
    await here.store.commit([], [change({ op: "event.add", row: event })]);
    const found = async (kind: "item" | "open-item" | "event", tenant = 1) =>
      (await here.store.textHolders(kind, tenant, ["ferry"], 9)).map(({ id }) => id);

    expect(await found("item")).toEqual(["50 over"]);
    expect(await found("open-item")).toEqual(["50 open"]);
    expect(await found("event")).toEqual(["50 e"]);
    expect(await found("item", 2)).toEqual([]);
  });

  test("fleets of a node that is gone are another's", async () => {
    await here.store.commit([], [add({ node: "gone" }), add({ key: 51, name: "post", node: "b" })]);
    await here.store.renewNode("b", 1000);

    const taken = await here.store.claimFleets("a", 500);

    const mine = here.store.kind === "sqlite" ? ["mail", "post"] : ["mail"];
    expect(taken.map(({ name }) => name).toSorted()).toEqual(mine);
  });
}
