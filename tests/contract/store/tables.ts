// Tables: what is written to each can be read from it.

import { expect, test } from "vitest";
import type { SpendRow } from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import {
  born,
  ended,
  extension,
  fileRow,
  messageRow,
  patched,
  processRow,
  questionRow,
  signalRow,
} from "./rows.ts";

export function tablesSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);
  const keysWhere = async (query: Parameters<typeof here.store.processes>[0]) =>
    (await here.store.processes(query)).map((row) => row.key);

  test("tenants have keys and what was said of their ceilings; one that is removed is in no sum", async () => {
    const key = await here.store.tenantKey("acme");
    const row = { key, name: "acme", ceiling: '{"said":"{}"}', removedAt: null };

    await here.store.commit([], [{ op: "tenant.set", row }]);

    expect(await here.store.tenantKey("acme")).toBe(key);
    expect(await here.store.tenantRows()).toEqual([
      { key: 1, name: "default", ceiling: null, removedAt: null },
      row,
    ]);
    await here.store.commit([], [{ op: "tenant.set", row: { ...row, removedAt: 5 } }]);
    expect((await here.store.tenants()).map(({ name }) => name)).toEqual(["default"]);
  });

  test("vectors of texts are found by tenant, model and digest, and the first one stays", async () => {
    const row = (tenant: number, model: string, digest: string, vector: string) =>
      ({ op: "embedding.put", row: { tenant, model, digest, vector } }) as const;
    await here.store.commit(
      [],
      [row(1, "m", "a", "AA"), row(1, "m", "b", "BB"), row(2, "m", "a", "CC")],
    );
    await here.store.commit([], [row(1, "m", "a", "ZZ"), row(1, "other", "a", "DD")]);

    const found = await here.store.embeddings(1, "m", ["a", "b", "c"]);

    expect(found.map(({ digest, vector }) => [digest, vector]).toSorted()).toEqual([
      ["a", "AA"],
      ["b", "BB"],
    ]);
    expect(await here.store.embeddings(1, "m", [])).toEqual([]);
  });

  test("a process is found by its pid and by its key, as it was added", async () => {
    const row = processRow(3, {
      parent: 1,
      parentPid: "agt_0001",
      depth: 1,
      state: "waiting",
      waitingOn: "timer",
      wakeAt: 1_900_000_000_123,
      lane: "high",
    });

    await here.store.commit([], [{ op: "process.add", row, node: "a" }]);

    expect(await here.store.process("agt_0003")).toMatchObject(row);
    expect(await here.store.processByKey(3)).toMatchObject(row);
    expect(await here.store.process("agt_9")).toBeUndefined();
    expect(await here.store.processByKey(9)).toBeUndefined();
    expect(await here.store.chain(9)).toBeUndefined();
  });

  test("its lane can be changed, and when it began is known once it has", async () => {
    await here.store.commit([], [born(1), born(2, { lane: "low" })]);
    expect(await here.store.processByKey(1)).toMatchObject({ lane: null, begunAt: null });

    await here.store.commit([], [patched(1, { lane: "critical", begunAt: 1_900_000_000_123 })]);

    const changed = { lane: "critical", begunAt: 1_900_000_000_123 };
    expect(await here.store.processByKey(1)).toMatchObject(changed);
    expect(await here.store.processByKey(2)).toMatchObject({ lane: "low", begunAt: null });
  });

  test("tenants are the oldest first, each with its processes and what was spent there", async () => {
    const later = await here.store.tenantKey("later");
    const idle = await here.store.tenantKey("an idle one");
    const spent = (tenant: number, microUsd: number): SpendRow => ({
      tenant,
      hour: 0,
      agent: "tester",
      root: 1,
      what: `model:${microUsd}`,
      microUsd,
      tokens: 10,
      toolCalls: 1,
      calls: 1,
      unpriced: 0,
      overMicroUsd: 0,
      overTokens: 0,
    });
    const spend = [spent(1, 250_000), spent(1, 500_000), spent(later, 2_000_000)];
    await here.store.commit(
      [extension(1, 0, [], { spend })],
      [
        born(1),
        born(2),
        born(3, { state: "waiting" }),
        born(4, { tenant: later, state: "failed" }),
      ],
    );

    const first = {
      microUsd: 750_000,
      tokens: 20,
      toolCalls: 2,
      states: { running: 2, waiting: 1 },
    };
    const there = { microUsd: 2_000_000, tokens: 10, toolCalls: 1, states: { failed: 1 } };
    expect(await here.store.tenants()).toEqual([
      { key: 1, name: "default", ...first },
      { key: later, name: "later", ...there },
      { key: idle, name: "an idle one", microUsd: 0, tokens: 0, toolCalls: 0, states: {} },
    ]);
  });

  test("those that a node holds are found by it", async () => {
    const pending = { state: "pending" } as const;
    await here.store.commit([], [born(1, pending), born(2, pending, "b"), born(3)]);

    expect(await keysWhere({ states: ["pending"], node: "a" })).toEqual([1]);
    expect(await keysWhere({ node: "b" })).toEqual([2]);
  });

  test("a patch changes what it names, to null as well, and nothing else", async () => {
    await here.store.commit(
      [],
      [born(1, { state: "waiting", waitingOn: "timer", wakeAt: 7 }), born(2)],
    );

    await here.store.commit(
      [],
      [patched(1, { state: "running", waitingOn: null, wakeAt: null, base: 4 }), patched(2, {})],
    );
    await here.store.commit([], [patched(1, { error: `{"code":"EINVAL","message":"no"}` })]);

    expect(await here.store.processByKey(1)).toMatchObject({
      state: "running",
      waitingOn: null,
      wakeAt: null,
      base: 4,
      error: { code: "EINVAL", message: "no" },
      exitCode: null,
    });
    expect((await here.store.processByKey(2))?.state).toBe("running");
  });

  test("processes are listed newest first, by any of the filters", async () => {
    await here.store.commit(
      [],
      [
        born(1),
        born(2, { parent: 1 }),
        born(3, { parent: 1, state: "waiting" }),
        born(4),
        ended(4),
        born(5, { pid: "agt_ZZ" }),
        born(6, { pid: "agt_zz" }),
      ],
    );

    expect(await keysWhere({})).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await keysWhere({ limit: 2 })).toEqual([6, 5]);
    expect(await keysWhere({ states: ["waiting", "completed"] })).toEqual([4, 3]);
    expect(await keysWhere({ parent: 1 })).toEqual([3, 2]);
    expect(await keysWhere({ root: 1 })).toEqual([3, 2, 1]);
    expect(await keysWhere({ before: "agt_0003" })).toEqual([2, 1]);
    expect(await keysWhere({ prefix: "agt_00" })).toEqual([4, 3, 2, 1]);
    expect(await keysWhere({ prefix: "agt_Z" })).toEqual([5]);
    expect(await keysWhere({ tenant: 1, states: ["running"], root: 1, limit: 1 })).toEqual([2]);
    expect(await keysWhere({ tenant: 9 })).toEqual([]);
  });

  test("processes are counted by state and by tree, and what a tree has spent is added up", async () => {
    const spend = (key: number, microUsd: number) =>
      extension(key, 0, ["x"], { microUsd, tokens: key, toolCalls: 1 });
    await here.store.commit(
      [spend(1, 500_000), spend(2, 250_000), spend(3, 1_000_000), spend(4, 8_000_000)],
      [born(1), born(2, { parent: 1 }), born(3, { parent: 2, root: 1 }), born(4), ended(3)],
    );

    expect((await here.store.processes({ root: 1 })).map((row) => row.microUsd)).toEqual([
      1_000_000, 250_000, 500_000,
    ]);
    expect(await here.store.countByState()).toEqual({ running: 3, completed: 1 });
    expect(await here.store.countByState(1)).toEqual({ running: 3, completed: 1 });
    expect(await here.store.countByState(7)).toEqual({});
    expect(await here.store.countTree(1)).toBe(2);
    expect(await here.store.spentByTree(1)).toMatchObject({
      microUsd: 1_750_000,
      tokens: 6,
      toolCalls: 3,
    });
    expect(await here.store.spentByTree(2)).toMatchObject({
      microUsd: 1_250_000,
      tokens: 5,
      toolCalls: 2,
    });
    expect(await here.store.spentByTree(99)).toMatchObject({
      microUsd: 0,
      tokens: 0,
      toolCalls: 0,
    });
  });

  test("messages wait in the order of their keys until they are taken", async () => {
    const rows = [
      messageRow(12, 1, { topic: "news", replyTo: "msg_1" }),
      messageRow(11, 1),
      messageRow(13, 2),
    ];
    await here.store.commit(
      [],
      [born(1), born(2), ...rows.map((row) => ({ op: "message.add", row }) as const)],
    );

    expect(await here.store.messages(1)).toEqual([rows[1], rows[0]]);
    await here.store.commit(
      [extension(1, 0, ["received"], { writes: [{ op: "message.take", key: 11 }] })],
      [],
    );

    expect(await here.store.messages(1)).toEqual([rows[0]]);
    expect([
      await here.store.countMessages(1, 0),
      await here.store.countMessages(2, 0),
      await here.store.countMessages(3, 0),
    ]).toEqual([1, 1, 0]);
  });

  test("a topic has the living that subscribed to it, each once", async () => {
    const subscribe = (process: number, topic = "news") =>
      ({ op: "subscription.add", tenant: 1, process, topic }) as const;

    await here.store.commit(
      [],
      [
        born(1),
        born(2),
        born(3),
        subscribe(3),
        subscribe(1),
        subscribe(1),
        subscribe(2),
        subscribe(2, "else"),
        ended(2),
      ],
    );

    const { subscribers } = await here.store.subscribers(1, "news");
    expect(subscribers.map(({ process }) => process)).toEqual([1, 3]);
  });

  test("signals wait in the order of their keys until they are taken", async () => {
    await here.store.commit(
      [],
      [
        born(1),
        { op: "signal.add", row: signalRow(22, 1) },
        { op: "signal.add", row: signalRow(21, 1) },
      ],
    );

    expect(await here.store.signals(1)).toEqual([signalRow(21, 1), signalRow(22, 1)]);
    await here.store.commit([], [{ op: "signal.take", key: 21 }]);

    expect(await here.store.signals(1)).toEqual([signalRow(22, 1)]);
  });

  test("a file is replaced by a later one and gone when removed", async () => {
    const put = (data: string) =>
      ({ op: "file.put", row: fileRow("/mem/a", data, { writtenAt: Number(data) }) }) as const;
    await here.store.commit([], [put("1"), put("2")]);

    expect(await here.store.file(1, 1, "/mem/a")).toEqual(fileRow("/mem/a", "2", { writtenAt: 2 }));
    await here.store.commit([], [{ op: "file.remove", tenant: 1, space: 1, path: "/mem/a" }]);

    expect(await here.store.file(1, 1, "/mem/a")).toBeUndefined();
  });

  test("a folder has what is below it, by code point, and not what only begins with its name", async () => {
    const paths = [
      "/mem",
      "/mem/a",
      "/mem/B",
      "/mem/a/b",
      "/mem/ä",
      "/mem-x/c",
      "/mem0/c",
      "/memory/c",
      "/mem.d",
      "/m",
    ];

    await here.store.commit(
      [],
      paths.map((path) => ({ op: "file.put", row: fileRow(path, "1") }) as const),
    );

    expect(
      (await here.store.files({ tenant: 1, space: 1, under: "/mem", limit: 100 })).map(
        (file) => file.path,
      ),
    ).toEqual(["/mem/B", "/mem/a", "/mem/a/b", "/mem/ä"]);
  });

  test("a question is asked once and answered once", async () => {
    const answer = (text: string) =>
      ({
        op: "question.answer",
        id: "q1",
        answer: text,
        reason: null,
        by: "ann",
        at: 3000,
      }) as const;
    await here.store.commit(
      [],
      [
        born(1),
        { op: "question.put", row: questionRow("q1", 1) },
        { op: "question.put", row: { ...questionRow("q1", 1), question: "Other?" } },
      ],
    );

    expect((await here.store.openQuestions()).map(({ id }) => id)).toEqual(["q1"]);
    expect(await here.store.question("q1")).toEqual(questionRow("q1", 1));
    await here.store.commit([], [answer("yes"), answer("no")]);

    expect(await here.store.openQuestions()).toEqual([]);
    expect(await here.store.question("q1")).toEqual({
      ...questionRow("q1", 1),
      answer: "yes",
      answeredBy: "ann",
      answeredAt: 3000,
    });
    expect((await here.store.questionsOf(1)).map((row) => row.id)).toEqual(["q1"]);
    expect(await here.store.question("q2")).toBeUndefined();
  });

  test("the question of a process that has ended is not open", async () => {
    await here.store.commit(
      [],
      [born(1), { op: "question.put", row: questionRow("q1", 1) }, ended(1)],
    );

    expect(await here.store.openQuestions()).toEqual([]);
  });

  test("blobs and manifests are kept once, as first written", async () => {
    await here.store.commit(
      [],
      [
        born(1),
        { op: "blob.put", tenant: 1, process: 1, digest: "d", body: "first" },
        { op: "blob.put", tenant: 1, process: 1, digest: "d", body: "second" },
        { op: "manifest.put", tenant: 1, hash: "h", body: "first" },
        { op: "manifest.put", tenant: 1, hash: "h", body: "second" },
      ],
    );

    expect([await here.store.blob(1, "d"), await here.store.manifest(1, "h")]).toEqual([
      "first",
      "first",
    ]);
  });

  test("blocks and core dumps are kept as last written", async () => {
    await here.store.commit(
      [],
      [
        { op: "block.put", tenant: 1, id: "b", state: "first" },
        { op: "block.put", tenant: 1, id: "b", state: "second" },
        { op: "core.put", tenant: 1, process: 1, body: "first" },
        { op: "core.put", tenant: 1, process: 1, body: "second" },
      ],
    );

    expect([await here.store.block("b"), await here.store.core(1)]).toEqual(["second", "second"]);
    expect([await here.store.block("c"), await here.store.core(2)]).toEqual([undefined, undefined]);
  });

  test("keys are given once, to however many ask", async () => {
    const firsts = await Promise.all([5, 1, 3, 1].map((count) => here.store.reserveKeys(count)));

    const keys = firsts.flatMap((first, nth) =>
      Array.from({ length: [5, 1, 3, 1][nth]! }, (_, more) => first + more),
    );
    expect(new Set(keys).size).toBe(10);
    expect(Math.min(...keys)).toBeGreaterThan(0);
  });

  test("a tenant is made when first named, once, by however many at a time", async () => {
    const names = ["x", "y", "x", "z", "y", "x", "default"];

    const keys = await Promise.all(names.map((name) => here.store.tenantKey(name)));

    expect(new Set(keys).size).toBe(4);
    expect(await Promise.all(keys.map((key) => here.store.tenantName(key)))).toEqual(names);
    expect(keys.at(-1)).toBe(1);
  });
}
