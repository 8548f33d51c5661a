// Lists: what is read of many rows at once: none of the large values, and a page at a time.

import { expect, test } from "vitest";
import type { ProcessQuery, Write, DeadLetterRow } from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended, fileRow, messageRow, patched, questionRow } from "./rows.ts";

const LARGE = JSON.stringify("x".repeat(10_000));

const put = (path: string): Write => ({ op: "file.put", row: fileRow(path, LARGE) });

const letter = (key: number, more: Partial<DeadLetterRow> = {}): Write => ({
  op: "letter.bury",
  keep: 100,
  row: {
    key,
    tenant: 1,
    process: 1,
    id: `msg_${key}`,
    from: "agt_0002",
    type: "response",
    topic: null,
    replyTo: null,
    isCut: false,
    cause: "agt_0002#1",
    lane: null,
    body: "1",
    label: "trusted/public",
    sentAt: 1,
    diedAt: 5000,
    reason: "late",
    ...more,
  },
});

export function listsSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);
  const write = (...writes: Write[]) => here.store.commit([], writes);

  test("a list of open questions has none of what they are about, and only those that are meant", async () => {
    const about = { args: "x".repeat(10_000) };
    const ask = (id: string, process: number, batch: string | null = null): Write => ({
      op: "question.put",
      row: { ...questionRow(id, process), about, batch },
    });
    await write(
      born(1),
      born(2, { parent: 1, root: 1 }),
      born(3, { parent: 2, root: 1 }),
      born(4, { tenant: 2 }),
      ask("q1", 1, "b"),
      ask("q2", 3, "b"),
      { op: "question.put", row: { ...questionRow("q3", 4), tenant: 2 } },
    );
    const idsOf = async (query: Parameters<typeof here.store.openQuestions>[0]) =>
      (await here.store.openQuestions(query)).map(({ id }) => id);

    const [first] = await here.store.openQuestions();
    expect(Object.keys(first!).sort()).toEqual(
      ["answeredAt", "askedAt", "batch", "expiresAt", "id", "pid", "process", "tenant"].sort(),
    );
    expect(await idsOf({})).toEqual(["q1", "q2", "q3"]);
    expect(await idsOf({ tenant: 2 })).toEqual(["q3"]);
    expect(await idsOf({ process: 1 })).toEqual(["q1"]);
    expect(await idsOf({ batch: "b", tenant: 1 })).toEqual(["q1", "q2"]);
    expect(await idsOf({ below: 1 })).toEqual(["q1", "q2"]);
    expect(await idsOf({ below: 2 })).toEqual(["q2"]);
    expect(await idsOf({ below: 4 })).toEqual(["q3"]);
  });

  test("the votes of a batch are those on its open questions", async () => {
    const vote = (question: string, person: string): Write => ({
      op: "vote.add",
      needed: 2,
      row: {
        question,
        person,
        tenant: 1,
        process: 1,
        choice: "yes",
        reason: null,
        at: 1,
        signature: null,
      },
    });
    await write(
      born(1),
      ...["q1", "q2", "q3"].map((id): Write => ({
        op: "question.put",
        row: { ...questionRow(id, 1), quorum: 2, batch: id === "q3" ? "other" : "b" },
      })),
      vote("q1", "ann"),
      vote("q2", "bob"),
      vote("q3", "cem"),
    );

    const persons = async () => (await here.store.votesInBatch("b")).map(({ person }) => person);
    expect(await persons()).toEqual(["ann", "bob"]);
    await write(vote("q2", "cem")); // settled
    expect(await persons()).toEqual(["ann"]);
  });

  test("files are listed by path, a page at a time, with their sizes and without their data", async () => {
    await write(born(1), ...["/mem/c", "/mem/a", "/mem/b", "/other/x"].map(put));
    const place = { tenant: 1, space: 1, under: "/mem" };

    const [first, ...others] = await here.store.fileNames({ ...place, limit: 2 });
    expect(first).not.toHaveProperty("data");
    expect(first).toMatchObject({ path: "/mem/a", bytes: LARGE.length, writer: "agt_0001" });
    expect(others.map(({ path }) => path)).toEqual(["/mem/b"]);
    const rest = await here.store.fileNames({ ...place, after: "/mem/b", limit: 2 });
    expect(rest.map(({ path }) => path)).toEqual(["/mem/c"]);
    const later = { ...fileRow("/mem/d", "1", { space: 1 }), writtenAt: 9_000_000_000_000 };
    await write({ op: "file.put", row: later });
    const since = await here.store.files({ ...place, since: later.writtenAt, limit: 9 });
    expect(since.map(({ path }) => path)).toEqual(["/mem/d"]);
    const whole = await here.store.files({ ...place, after: "/mem/b", limit: 1 });
    expect(whole.map(({ data }) => data)).toEqual([LARGE]);
  });

  test("files that outlive processes are counted with the bytes of paths and data, by tenant and below a path", async () => {
    const shared = (path: string, data: string) => fileRow(path, data, { space: 0 });
    const rows = [
      shared("/mem/shared/a", '"é"'),
      shared("/mem/shared/b/c", "12"),
      shared("/mem/sharedx", "1"),
    ];
    await write(
      born(1),
      put("/mem/working/x"),
      ...rows.map((row) => ({ op: "file.put", row }) as const),
    );

    expect(await here.store.fileUsage(1, "/mem/shared")).toEqual({
      files: 2,
      bytes: 13 + 4 + 15 + 2,
    });
    expect(await here.store.fileUsage(1)).toEqual({ files: 3, bytes: 13 + 4 + 15 + 2 + 12 + 1 });
    expect(await here.store.fileUsage(2)).toEqual({ files: 0, bytes: 0 });
    expect(await here.store.fileSize(1, 0, "/mem/shared/a")).toEqual({ files: 1, bytes: 17 });
    expect(await here.store.fileSize(1, 0, "/mem/shared/none")).toEqual({ files: 0, bytes: 0 });
  });

  test("dead letters come newest first, a page at a time, with the pid that they were sent to", async () => {
    await write(
      born(1),
      letter(1),
      letter(2),
      letter(3, { process: 99 }),
      letter(4, { diedAt: 1 }),
    );
    const sinceMs = 1000;

    const page = await here.store.deadLetters({ sinceMs, limit: 2 });
    expect(page.map(({ id, to }) => [id, to])).toEqual([
      ["msg_3", null],
      ["msg_2", "agt_0001"],
    ]);
    const before = await here.store.deadLetterKey("msg_2");
    const rest = await here.store.deadLetters({ sinceMs, limit: 2, before });
    expect(rest.map(({ id }) => id)).toEqual(["msg_1"]);
    expect(await here.store.deadLetterKey("msg_9")).toBeUndefined();
  });

  test("a message is looked for in one mailbox", async () => {
    await write(born(1), born(2), { op: "message.add", row: messageRow(7, 1) });

    expect(await here.store.hasMessage(1, "msg_7")).toBe(true);
    expect(await here.store.hasMessage(2, "msg_7")).toBe(false);
    expect(await here.store.hasMessage(1, "msg_8")).toBe(false);
  });

  test("children that live are listed without outputs; runs by when they ended, and what is kept of them", async () => {
    await write(
      born(1),
      born(2, { parent: 1, root: 1 }),
      born(3, { parent: 1, root: 1 }),
      ended(3, 5000),
      patched(2, { output: LARGE }),
    );

    const children = await here.store.livingChildren(1);
    expect(children.map(({ key }) => key)).toEqual([2]);
    expect(children[0]).not.toHaveProperty("output");
    const keys = async (query: object) =>
      (await here.store.processes(query)).map(({ key }) => key).sort();
    expect(await keys({ endedSince: 5000, isKept: true })).toEqual([1, 2, 3]);
    expect(await keys({ endedSince: 5001 })).toEqual([1, 2]);
    await here.store.compact([3]);
    expect(await keys({ isKept: true })).toEqual([1, 2]);
  });

  test("processes come newest first, whatever they are a list of, and a page goes on where the last ended", async () => {
    await write(
      ...[1, 2, 3, 4, 5, 6].map((key) => born(key, { tenant: key === 2 || key === 5 ? 2 : 1 })),
      born(7, { parent: 1, root: 1 }),
      born(8, { parent: 1, root: 1 }),
      patched(3, { state: "waiting" }),
      patched(5, { state: "waiting" }),
      ended(4, 5000),
      ended(8, 5000),
    );
    const keys = async (query: ProcessQuery) =>
      (await here.store.processSummaries(query)).map(({ key }) => key);
    const [pid4, pid8] = ["agt_0004", "agt_0008"];

    expect(await keys({})).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(await keys({ limit: 3, before: pid4 })).toEqual([3, 2, 1]);
    expect(await keys({ states: ["running", "waiting"] })).toEqual([7, 6, 5, 3, 2, 1]);
    expect(await keys({ states: ["waiting", "completed"], limit: 2 })).toEqual([8, 5]);
    expect(await keys({ states: ["waiting", "completed"], before: pid8 })).toEqual([5, 4, 3]);
    expect(await keys({ tenant: 2 })).toEqual([5, 2]);
    expect(await keys({ tenant: 1, before: pid4 })).toEqual([3, 1]);
    expect(await keys({ tenant: 1, states: ["waiting"] })).toEqual([3]);
    expect(await keys({ parent: 1 })).toEqual([8, 7]);
    expect(await keys({ parent: 1, states: ["running"], tenant: 1 })).toEqual([7]);
    expect(await keys({ parent: 1, tenant: 2 })).toEqual([]);
    expect(await keys({ prefix: "agt_0003" })).toEqual([3]);
    expect(await keys({ pids: [pid4, "agt_0002", "agt_9999"] })).toEqual([4, 2]);
    expect(await keys({ pids: [pid4, "agt_0002"], tenant: 2 })).toEqual([2]);
    expect(await keys({ pids: [pid4, "agt_0003"], states: ["waiting"] })).toEqual([3]);
    expect(await keys({ pids: [] })).toEqual([]);
    expect((await here.store.processes({ states: ["waiting"] })).map(({ key }) => key)).toEqual([
      5, 3,
    ]);
  });

  test("processes are found by a part of their agent or pid in any case, and by when they began", async () => {
    await write(
      born(1, { agent: "Mail clerk" }),
      born(2, { agent: "100%_sure" }),
      born(3, { agent: "mailer", tenant: 2, startedAt: 9_000_000 }),
    );
    const keys = async (query: ProcessQuery) =>
      (await here.store.processSummaries(query)).map(({ key }) => key);

    expect(await keys({ find: "MAIL" })).toEqual([3, 1]);
    expect(await keys({ find: "mail", tenant: 1 })).toEqual([1]);
    expect(await keys({ find: "_0002" })).toEqual([2]);
    expect(await keys({ find: "%_s" })).toEqual([2]);
    expect(await keys({ find: "l_c" })).toEqual([]);
    expect(await keys({ find: "\\" })).toEqual([]);
    expect(await keys({ startedSince: 9_000_000 })).toEqual([3]);
    expect(await keys({ find: "mail", startedSince: 9_000_001 })).toEqual([]);
  });

  test("a run is found by its name alone, in its tenant", async () => {
    const { spec } = (born(1) as Write & { op: "process.add" }).row;
    const nightly = { spec: { ...spec, name: "nightly" } };
    await write(born(1, nightly), born(2), born(3, { ...nightly, tenant: 2 }), ended(1, 5000));
    const names = async (query: ProcessQuery) =>
      (await here.store.processSummaries(query)).map(({ key, name }) => [key, name]);

    expect(await names({ name: "nightly" })).toEqual([
      [3, "nightly"],
      [1, "nightly"],
    ]);
    expect(await names({ name: "nightly", tenant: 1 })).toEqual([[1, "nightly"]]);
    expect(await names({ name: "night" })).toEqual([]);
    expect(await names({ find: "NIGHT", tenant: 2 })).toEqual([[3, "nightly"]]);
    expect(await names({ pids: ["agt_0002"] })).toEqual([[2, null]]);
  });

  test("a summary has what is shown of a process, and nothing of what may be large", async () => {
    const deadlineAt = 7000;
    const spec = (born(1) as Write & { op: "process.add" }).row.spec;
    await write(born(1), born(2, { spec: { ...spec, deadlineAt }, lane: "high" }), ended(1, 5000));

    const [second, first] = await here.store.processSummaries({});

    expect(second).toMatchObject({ key: 2, pid: "agt_0002", deadlineAt, lane: "high" });
    expect(first).toMatchObject({ key: 1, state: "completed", endedAt: 5000, deadlineAt: null });
    for (const large of ["spec", "output", "error"]) expect(first).not.toHaveProperty(large);
  });
}
