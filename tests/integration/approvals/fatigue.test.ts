// People are asked the same thing once, and not too often.

import { DatabaseSync } from "node:sqlite";
import type { Kernel, SpawnRequest } from "@aos/kernel";
import type { Json, Sys, SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import { codeOf, TOOLS, until } from "../../helpers/kernel.ts";
import { batchOf, bootPayer, openOf, policyOf, spawnPayer } from "./asking.ts";

test("the same request of several processes is one entry, and one answer settles all", async () => {
  const { kernel, runs } = await bootPayer();
  const pids = [];
  for (let n = 0; n < 3; n++) pids.push(await spawnPayer(kernel, "alice"));
  const other = await spawnPayer(kernel, "bob");

  await until(async () => (await kernel.questions()).length === 2, "two lines");
  await until(
    async () => (await kernel.questions()).some(({ count }) => count === 3),
    "three in one line",
  );
  const line = (await kernel.questions()).find(({ count }) => count === 3)!;
  const report = await kernel.answer(line.id, { by: "ann", choice: "approve" });

  expect([...line.pids].sort()).toEqual([...pids].sort());
  expect(report.alsoAnswered.length).toBe(2);
  for (const pid of pids) {
    expect((await kernel.wait(pid)).output).toEqual(["ok"]);
    const outcome = (await kernel.journal(pid)).find(({ kind }) => kind === "outcome");
    expect(outcome).toMatchObject({ verdict: expect.stringContaining("approved by ann") });
  }
  expect(runs.length).toBe(3);
  expect((await kernel.show(other)).state).toBe("waiting");
});

test("one that joins later has the votes of those before it", async () => {
  const { kernel } = await bootPayer({
    policy: policyOf({ id: "ask-pay", ask: "tool:pay", quorum: 2 }),
  });
  const first = await spawnPayer(kernel, "alice");
  const [question] = await openOf(kernel, 1);
  await kernel.answer(question!.id, { by: "ann", choice: "approve" });

  const second = await spawnPayer(kernel, "alice");
  const line = await batchOf(kernel, 2);
  const report = await kernel.answer(line.id, { by: "bob", choice: "approve" });

  expect(line.votes).toMatchObject([{ person: "ann" }]);
  expect(report).toMatchObject({ settled: true, votes: 2 });
  expect(report.alsoAnswered.length).toBe(1);
  for (const pid of [first, second]) {
    expect((await kernel.wait(pid)).output).toEqual(["ok"]);
    const outcome = (await kernel.journal(pid)).find(({ kind }) => kind === "outcome");
    expect(outcome).toMatchObject({ verdict: expect.stringContaining("approved by ann, bob") });
  }
});

test("a no, and a withdrawal, are for all of them too", async () => {
  const { kernel, runs } = await bootPayer();
  const denied = [await spawnPayer(kernel, "alice"), await spawnPayer(kernel, "alice")];
  await kernel.answer((await batchOf(kernel, 2)).id, { by: "ann", choice: "deny" });
  for (const pid of denied) expect((await kernel.wait(pid)).output).toEqual(["EDENIED"]);

  const withdrawn = [await spawnPayer(kernel, "alice"), await spawnPayer(kernel, "alice")];
  const { id } = await batchOf(kernel, 2);
  const { alsoWithdrawn } = await kernel.cancelQuestion(id, { by: "ann" });

  expect(alsoWithdrawn.length).toBe(1);
  for (const pid of withdrawn) expect((await kernel.wait(pid)).output).toEqual(["EDENIED"]);
  expect(runs).toEqual([]);
});

test("what looks the same and comes from other reading is another question", async () => {
  const { kernel } = await bootPayer();
  await spawnPayer(kernel, "alice");
  await openOf(kernel, 1);

  await kernel.spawn({
    agent: "payer",
    capabilities: TOOLS,
    input: [{ to: "alice" }],
    label: { integrity: "untrusted", secrecy: "public" },
  });

  const questions = await openOf(kernel, 2);
  expect(questions.map(({ about }) => about!.colour).sort()).toEqual(["BLUE", "RED"]);
});

test("other arguments are another question, also where no capability could say them", async () => {
  const { kernel } = await bootPayer({
    programs: { payer: async (sys, input) => codeOf(sys.exec("pay", input)) },
  });

  for (const input of ["one", "two"])
    await kernel.spawn({ agent: "payer", capabilities: TOOLS, input });

  const questions = await openOf(kernel, 2);
  expect(questions.map(({ about }) => about!.cover)).toEqual([[], []]);
});

test("one word is for the calls that wait, not for those that come after", async () => {
  const { kernel, runs } = await bootPayer();
  const pid = await spawnPayer(kernel, "alice", "alice");
  const [first] = await openOf(kernel, 1);

  await kernel.answer(first!.id, { by: "ann", choice: "approve" });
  await until(async () => (await kernel.questions())[0]?.id !== first!.id, "the first is gone");
  const [second] = await openOf(kernel, 1);

  expect(second!.id).not.toBe(first!.id);
  expect(runs.length).toBe(1);
  await kernel.answer(second!.id, { by: "ann", choice: "deny" });
  expect((await kernel.wait(pid)).output).toEqual(["ok", "EDENIED"]);
});

test("beyond so many questions in an hour a call fails at once and says when to try again", async () => {
  const booted = await bootPayer({
    approvals: { perHour: 2 },
    programs: {
      payer: async (sys, input) =>
        sys.exec("pay", input).then(
          () => "ok",
          (error: { code: string; message: string; retryAfter?: number }) => [
            error.code,
            error.message,
            (error.retryAfter ?? 0) > 3_500_000 && (error.retryAfter ?? 0) <= 3_600_000,
          ],
        ),
    },
  });
  const spawn = (to: string) =>
    booted.kernel.spawn({ agent: "payer", capabilities: TOOLS, input: { to } });
  await spawn("alice");
  await openOf(booted.kernel, 1);
  await spawn("alice"); // joins, and does not count
  await batchOf(booted.kernel, 2);
  await spawn("bob");
  await openOf(booted.kernel, 2);

  const third = await spawn("cem");
  const tired = await booted.kernel.wait(third);
  await spawn("alice"); // joins

  expect(tired.output).toEqual([
    "EAGAIN",
    "agents asked people 2 questions in the last hour; the limit is 2",
    true,
  ]);
  await until(
    async () => (await booted.kernel.questions()).some(({ count }) => count === 3),
    "the one that joins",
  );
  expect((await booted.kernel.questions()).length).toBe(2);
});

/** Asks without end, and says how often it did, and what it was told then. */
const noisy = async (sys: Sys, input: Json) => {
  for (let n = 0; ; n++)
    try {
      await sys.ask(`${JSON.stringify(input)} ${n}?`, { choices: ["yes"] });
    } catch (error) {
      const { code, message, retryAfter = 0 } = error as SysError;
      return [n, code, message, retryAfter > 3_000_000];
    }
};

/** Somebody says yes to whatever is asked, until it is called off. */
function sayYesToAll(kernel: Kernel): () => void {
  const answerAll = async () => {
    for (const { id } of await kernel.questions())
      await kernel.answer(id, { by: "ann", choice: "yes" }).catch(() => {});
  };
  const answering = setInterval(() => void answerAll().catch(() => {}), 20);
  return () => clearInterval(answering);
}

async function askedBy(kernel: Kernel, wish: SpawnRequest): Promise<Json[]> {
  return (await kernel.wait(await kernel.spawn(wish))).output as Json[];
}

test("QUESTION-LIMITS-4: a noisy tree leaves questions for others, and is told when to try again", async () => {
  const { kernel } = await bootPayer({
    approvals: { perHour: 6 },
    programs: { noisy, quiet: noisy },
  });
  const stop = sayYesToAll(kernel);
  const asked: unknown[] = [];
  for (const input of ["a", "b", "c"]) asked.push(await askedBy(kernel, { agent: "noisy", input }));
  stop();

  const quiet = await kernel.spawn({ agent: "quiet", input: "quiet" });

  const told = expect.stringMatching(/the remaining \d are reserved for others/);
  expect(asked).toEqual([2, 2, 1].map((n) => [n, "EAGAIN", told, true]));
  expect((await openOf(kernel, 1))[0]!.pid).toBe(quiet);
});

test("QUESTION-LIMITS-5: an agent that is started again and again leaves questions for other agents", async () => {
  const { kernel } = await bootPayer({
    approvals: { perHour: 16 },
    programs: {
      noisy,
      quiet: noisy,
      above: async (sys) => (await sys.wait(await sys.spawn("noisy", null))).output,
    },
  });
  const stop = sayYesToAll(kernel);
  for (let n = 0; n < 20; n++) await askedBy(kernel, { agent: "noisy", input: n });
  const below = await askedBy(kernel, { agent: "above", capabilities: ["agent:*:spawn"] });

  const quiet = await askedBy(kernel, { agent: "quiet", input: "quiet" });
  stop();

  expect(below).toEqual([
    0,
    "EAGAIN",
    expect.stringMatching(/^processes of noisy and above have/),
    true,
  ]);
  expect(quiet[0]).toBe(2); // a third of the quarter, at least
});

test("QUESTION-LIMITS-5: one that starts trees under ever new names leaves questions for what others start", async () => {
  const names = Array.from({ length: 30 }, (_, n) => `noisy${n}`);
  const { kernel } = await bootPayer({
    approvals: { perHour: 16 },
    programs: { ...Object.fromEntries(names.map((name) => [name, noisy])), quiet: noisy },
  });
  const stop = sayYesToAll(kernel);
  for (const agent of names) await askedBy(kernel, { agent, by: "token:a", input: agent });
  const last = await askedBy(kernel, { agent: "quiet", by: "token:a" });

  const quiet = await askedBy(kernel, { agent: "quiet", by: "token:b" });
  stop();

  expect(last).toEqual([0, "EAGAIN", expect.stringMatching(/^what token:a started has/), true]);
  expect(quiet[0]).toBeGreaterThan(0);
});

test("the same question again, when the first is settled, counts again; an hour later it does not", async () => {
  const booted = await bootPayer({ approvals: { perHour: 4 } });
  const pid = await spawnPayer(booted.kernel, "alice", "alice", "alice");
  for (let n = 0; n < 2; n++) {
    const [question] = await openOf(booted.kernel, 1);
    await booted.kernel.answer(question!.id, { by: "ann", choice: "approve" });
    await until(async () => (await booted.kernel.questions())[0]?.id !== question!.id, "the next");
  }
  expect((await booted.kernel.wait(pid)).output).toEqual(["ok", "ok", "EAGAIN"]);

  await booted.kernel.close();
  const database = new DatabaseSync(booted.file);
  database.exec("update question set asked_at = asked_at - 3600000");
  database.close();
  const { kernel } = await booted.again();
  await spawnPayer(kernel, "alice");

  await openOf(kernel, 1);
});

test("other tenants are not made to wait by one that asks too much", async () => {
  const { kernel } = await bootPayer({
    approvals: { perHour: 1 },
    tenants: { x: { ceiling: "none" } },
  });
  await spawnPayer(kernel, "alice");
  await openOf(kernel, 1);

  await kernel.spawn({
    agent: "payer",
    capabilities: TOOLS,
    input: [{ to: "alice" }],
    tenant: "x",
  });

  await openOf(kernel, 2);
});

test("many at once are counted one after another", async () => {
  const { kernel } = await bootPayer({ approvals: { perHour: 3 } });

  const pids = await Promise.all(
    ["a", "b", "c", "d", "e", "f"].map((to) => spawnPayer(kernel, to)),
  );
  await openOf(kernel, 3);

  const isOver = async (pid: string) => (await kernel.show(pid)).endedAt !== null;
  await until(async () => (await Promise.all(pids.map(isOver))).filter(Boolean).length === 3);
  expect((await kernel.questions()).length).toBe(3);
});

test("a process has so many questions open, and no more", async () => {
  const { kernel } = await bootPayer({
    approvals: { openPerProcess: 2 },
    programs: {
      eager: async (sys) =>
        Promise.all([1, 2, 3].map((n) => codeOf(sys.ask(`${n}?`, { choices: ["yes"] })))),
    },
  });
  const pid = await kernel.spawn({ agent: "eager" });

  for (const { id } of await openOf(kernel, 2))
    await kernel.answer(id, { by: "ann", choice: "yes" });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "ok", "EAGAIN"]);
});

test("what a crash left in doubt is asked whatever people were asked before", async () => {
  const booted = await bootPayer({
    approvals: { perHour: 0, openPerProcess: 0 },
    policy: policyOf(),
    programs: { payer: async (sys) => codeOf(sys.exec("pay", { hang: true })) },
  });
  const pid = await booted.kernel.spawn({ agent: "payer", capabilities: TOOLS });
  await until(() => booted.runs.length === 1, "the payment");

  const { kernel } = await booted.crash();
  const [question] = await openOf(kernel, 1);
  await kernel.answer(question!.id, { by: "ann", choice: "done" });

  expect(question!.kind).toBe("doubt");
  expect((await kernel.wait(pid)).output).toBe("ok");
});
