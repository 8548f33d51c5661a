import type { Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, kindsOf, sleepMs, TOOLS, until } from "../../helpers/kernel.ts";

test("the intent of an external effect is on the disk before the effect begins", async () => {
  let seen: string[] = [];
  const { kernel } = await bootForTest({
    tools: [
      {
        name: "witness",
        version: "1",
        description: "reads the journal of the process that runs it",
        input: {},
        effect: "external",
        touches: () => [],
        run: async (_args, { pid }) => {
          seen = kindsOf(await kernel.journal(pid));
          return null;
        },
      },
    ],
    programs: {
      doer: async (sys) => {
        await sys.now();
        await sys.exec("witness", {});
      },
    },
  });

  const pid = await kernel.spawn({ agent: "doer", capabilities: ["tool:witness:call"] });

  await kernel.wait(pid);
  expect(seen).toEqual(["start", "call", "intent"]);
});

test("all that led to a visible step is on the disk before it", async () => {
  let seen: string[] = [];
  const { kernel } = await bootForTest({
    tools: [
      {
        name: "fetch",
        version: "1",
        description: "can be seen from outside",
        input: {},
        effect: "read",
        egress: true,
        touches: () => [],
        run: async (_args, { pid }) => {
          seen = kindsOf(await kernel.journal(pid));
          return null;
        },
      },
    ],
    programs: {
      doer: async (sys) => {
        for (let i = 0; i < 3; i++) await sys.now();
        await sys.exec("fetch", {});
      },
    },
  });

  await kernel.wait(await kernel.spawn({ agent: "doer", capabilities: ["tool:fetch:call"] }));

  expect(seen).toEqual(["start", "call", "call", "call"]);
});

test("only an external effect has two records, and both carry its key", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      doer: async (sys) => {
        await sys.exec("look", {});
        await sys.exec("set", {});
        await sys.exec("pay", {});
      },
    },
  });

  const pid = await kernel.spawn({ agent: "doer", capabilities: TOOLS });

  await kernel.wait(pid);
  const records = await kernel.journal(pid);
  expect(kindsOf(records)).toEqual(["start", "call", "call", "intent", "outcome", "end"]);
  expect(records[3]).toMatchObject({ key: runs[2]!.key, attempt: 1 });
});

const payer =
  (tool: string, onDoubt?: "fail" | "retry" | "ask") =>
  async (sys: Sys): Promise<unknown> => {
    await sys.now();
    const hang = (await sys.random()) >= 0; // the first run of it hangs; see below
    return sys.exec(tool, { hang }, onDoubt === undefined ? {} : { onDoubt }).then(
      (value) => ({ value }),
      ({ code }: { code: string }) => ({ code }),
    );
  };

/** Boots a kernel, lets a tool begin, and comes back after a crash that hid whether it happened. */
async function crashInside(tool: string, onDoubt?: "fail" | "retry" | "ask") {
  const booted = await bootForTest({ programs: { payer: payer(tool, onDoubt) } });
  const pid = await booted.kernel.spawn({ agent: "payer", capabilities: TOOLS });
  await until(() => booted.runs.length === 1, "the first run");
  await sleepMs(20);
  const after = await booted.crash();
  return { pid, ...after };
}

test.each(["look", "set"])("%s is simply run again after a crash", async (tool) => {
  const { pid, kernel, runs } = await crashInside(tool);

  await until(() => runs.length === 2, "the second run");

  expect(runs[1]!.key).toBe(runs[0]!.key);
  await kernel.signal(pid, "SIGKILL");
  await kernel.wait(pid);
});

test("in doubt and told to fail, it is EINDOUBT and not run again", async () => {
  const { pid, kernel, runs } = await crashInside("pay", "fail");

  expect((await kernel.wait(pid)).output).toEqual({ code: "EINDOUBT" });

  expect(runs.length).toBe(1);
});

test("in doubt and told to retry, it is run again with the same key and a second intent", async () => {
  const { pid, kernel, runs } = await crashInside("pay", "retry");

  await until(() => runs.length === 2, "the second run");

  expect(runs[1]!.key).toBe(runs[0]!.key);
  const intents = (await kernel.journal(pid)).filter((record) => record.kind === "intent");
  expect(intents.map(({ attempt }) => attempt)).toEqual([1, 2]);
  await kernel.signal(pid, "SIGKILL");
  await kernel.wait(pid);
});

test.each([
  ["fail", 1],
  ["done", 1],
  ["retry", 2],
])(
  "in doubt, a person is asked by default; the answer %s leads to %i runs",
  async (choice, times) => {
    const { pid, kernel, runs } = await crashInside("pay");
    await until(async () => (await kernel.questions()).length === 1, "the question");
    const [question] = await kernel.questions();
    expect(question).toMatchObject({ pid, kind: "doubt" });
    expect(runs.length).toBe(1);

    await kernel.answer(question!.id, { by: "bob", choice });
    await until(() => runs.length === times, "the runs");

    if (choice === "fail") expect((await kernel.wait(pid)).output).toEqual({ code: "EINDOUBT" });
    if (choice === "done") expect((await kernel.wait(pid)).output).toEqual({ value: null });
    if (choice === "retry") await kernel.signal(pid, "SIGKILL");
    await kernel.wait(pid);
  },
);

test("a second crash before the person answers asks the same question, once", async () => {
  const first = await crashInside("pay");
  await until(async () => (await first.kernel.questions()).length === 1, "the question");
  const [before] = await first.kernel.questions();

  const { kernel, runs } = await first.crash();

  const questions = await kernel.questions();
  expect(questions.map(({ id }) => id)).toEqual([before!.id]);
  await kernel.answer(before!.id, { by: "bob", choice: "fail" });
  expect((await kernel.wait(first.pid)).output).toEqual({ code: "EINDOUBT" });
  expect(runs.length).toBe(1);
});

test("a tool that waits for a person about a doubt gives its reservation back while it sleeps", async () => {
  const booted = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      payer: payer("pay"),
      parent: async (sys) => {
        await sys.spawn("payer", null, { capabilities: TOOLS });
        await sys.receive();
        return sys.check("exec", { tool: "look", args: {} });
      },
    },
  });
  const pid = await booted.kernel.spawn({
    agent: "parent",
    capabilities: ["agent:payer:spawn", ...TOOLS],
    budget: { toolCalls: 1 },
  });
  await until(() => booted.runs.length === 1, "the run");
  await sleepMs(20);

  const { kernel } = await booted.crash();

  await until(async () => (await kernel.questions()).length === 1, "the question");
  await until(async () => (await kernel.status()).loaded === 0, "sleep");
  await kernel.send(pid, "go on");
  expect((await kernel.wait(pid)).output).toMatchObject({ allow: true });
});

test("what a tool says after its time is not heard", async () => {
  const { kernel } = await bootForTest({
    programs: {
      hasty: async (sys) => {
        const late = await sys.exec("look", { ms: 60 }, { timeoutMs: 10 }).catch(() => "late");
        await sys.sleep((await sys.now()) + 100);
        return late;
      },
    },
  });

  const pid = await kernel.spawn({ agent: "hasty", capabilities: TOOLS });

  expect((await kernel.wait(pid)).output).toBe("late");
  expect(kindsOf(await kernel.journal(pid))).toEqual(["start", "call", "call", "call", "end"]);
});
