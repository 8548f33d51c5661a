import type { Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, manifest, sleepMs, TOOLS, until } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";

const capabilities = [...TOOLS, "memory:/mem/**:*", "agent:*:spawn", "model:*:infer"];

async function worker(sys: Sys, input: Json): Promise<Json> {
  const codes: string[] = [];
  for (let i = 0; i < 6; i++) {
    await sys.write(`/mem/working/${i}`, i);
    codes.push(await codeOf(sys.exec("set", { ms: 5, input, i })));
    await sys.infer({ model: "fake/x", messages: [{ role: "user", content: `${i}` }] });
  }
  return [input, codes.length, (await sys.list("/mem/working")).length];
}

async function boss(sys: Sys): Promise<Json> {
  const children = [];
  for (let i = 0; i < 4; i++) {
    const power = [...TOOLS, "memory:/mem/**:*", "model:*:infer"];
    children.push(await sys.spawn("worker", i, { capabilities: power }));
  }
  const ends = await Promise.all(children.map((child) => sys.wait(child)));
  return ends.map(({ output }) => output);
}

test.each(["again", "crash"] as const)(
  "a tree at work goes on after every restart (%s), and comes to the same end",
  async (how) => {
    let booted = await bootForTest({ programs: { worker, boss } });
    const pid = await booted.kernel.spawn({ agent: "boss", capabilities });

    for (let n = 0; n < 6; n++) {
      await sleepMs(30 + n * 7);
      booted = await booted[how]();
    }

    expect((await booted.kernel.wait(pid)).output).toEqual([0, 1, 2, 3].map((n) => [n, 6, 6]));
  },
);

test("every kind of wait is gone on with after a restart", async () => {
  const booted = await bootForTest({
    policy: allowBut({ id: "ask", ask: "tool:pay" }),
    programs: {
      message: async (sys) => (await sys.receive()).body,
      timer: async (sys) => sys.sleep((await sys.now()) + 300),
      child: async (sys) => (await sys.wait(await sys.spawn("timer", null))).state,
      tool: async (sys) => sys.exec("look", { ms: 300 }),
      question: async (sys) => sys.ask("?"),
      approval: async (sys) => sys.exec("pay", {}),
    },
  });
  const agents = ["message", "timer", "child", "tool", "question", "approval"];
  const pids: string[] = [];
  for (const agent of agents) pids.push(await booted.kernel.spawn({ agent, capabilities }));
  await until(async () => (await booted.kernel.questions()).length === 2, "the questions");
  await sleepMs(30);

  const { kernel } = await booted.again();

  await kernel.send(pids[0]!, "hello");
  for (const { id, kind } of await kernel.questions())
    await kernel.answer(id, { by: "bob", choice: kind === "policy" ? "approve" : "fine" });
  const outputs = await Promise.all(pids.map(async (pid) => (await kernel.wait(pid)).output));
  expect(outputs).toEqual(["hello", null, "completed", "done", "fine", "done"]);
});

test("what is missing at a boot is waited for: a later boot with the program goes on", async () => {
  const program = async (sys: Sys) => (await sys.receive()).body;
  const booted = await bootForTest({ programs: { here: program } });
  const pid = await booted.kernel.spawn({ agent: "here" });
  const troubles: string[] = [];

  const without = await booted.again({ programs: {}, onTrouble: (what) => troubles.push(what) });
  await without.kernel.send(pid, "hello");
  await until(() => troubles.length > 0, "the trouble");
  expect((await without.kernel.show(pid)).endedAt).toBe(null);
  // The message has it loaded once more, which fails as the boot did: meanwhile it counts.
  await expect
    .poll(async () => (await without.kernel.status()).loaded, { timeout: 60_000 })
    .toBe(0);
  const { kernel } = await without.again({ programs: { here: program } });

  expect((await kernel.wait(pid, { timeoutMs: 120_000 })).output).toBe("hello");
});

test("one whose program is missing can still be killed", async () => {
  const booted = await bootForTest({ programs: { here: async (sys) => sys.receive() } });
  const pid = await booted.kernel.spawn({ agent: "here" });

  const { kernel, again } = await booted.again({ programs: {} });
  await kernel.signal(pid, "SIGKILL");

  expect(await kernel.wait(pid, { timeoutMs: 120_000 })).toMatchObject({ exitCode: 137 });
  await again({ programs: { here: async (sys) => sys.receive() } });
});

test("who waits for a process when the kernel stops is told how it stands", async () => {
  const { kernel, again } = await bootForTest({
    programs: { idle: async (sys) => sys.receive() },
  });
  const pid = await kernel.spawn({ agent: "idle" });
  const waiting = kernel.wait(pid);
  await sleepMs(20);

  await kernel.close();

  expect(await waiting).toMatchObject({ pid, exitCode: null });
  await expect(kernel.spawn({ agent: "idle" })).rejects.toMatchObject({ code: "ESTATE" });
  await again();
});

test("a wait with a time limit, or given up, says the state it found", async () => {
  const { kernel } = await bootForTest({ programs: { idle: async (sys) => sys.receive() } });
  const pid = await kernel.spawn({ agent: "idle" });

  await until(async () => (await kernel.show(pid)).state === "waiting", "it waits");

  const limited = await kernel.wait(pid, { timeoutMs: 30 });
  const givenUp = await kernel.wait(pid, { signal: AbortSignal.abort() });

  expect([limited.state, givenUp.state]).toEqual(["waiting", "waiting"]);
});

test("who watches a journal sees every record once, in order, to the end", async () => {
  const { kernel } = await bootForTest({ programs: { worker } });
  const pid = await kernel.spawn({ agent: "worker", input: 1, capabilities });

  const seen = [];
  for await (const { seq } of kernel.watch(pid)) seen.push(seq);

  expect(seen).toEqual((await kernel.journal(pid)).map(({ seq }) => seq));
});

test("a manifest is frozen at the spawn: what the file says later changes nothing", async () => {
  let power = ["tool:look:call"];
  const options = {
    agents: (name: string) =>
      name === "doer" ? { manifest: manifest("doer", { capabilities: power }) } : undefined,
    programs: {
      doer: async (sys: Sys) => {
        await sys.receive();
        return codeOf(sys.exec("pay", {}));
      },
    },
  };
  const booted = await bootForTest(options);
  const pid = await booted.kernel.spawn({ agent: "doer" });
  power = TOOLS;

  const { kernel } = await booted.again();

  await kernel.send(pid, "go on");
  expect((await kernel.wait(pid)).output).toBe("EACCES");
});

test("with every call durable, nothing is told before it is on the disk", async () => {
  const booted = await bootForTest({
    durability: "every-call",
    programs: {
      teller: async (sys) => {
        const first = await sys.random();
        told.push(first);
        await sys.receive();
        return first;
      },
    },
  });
  const told: number[] = [];
  const pid = await booted.kernel.spawn({ agent: "teller" });
  await until(() => told.length === 1, "the first call");

  const { kernel } = await booted.crash();

  await kernel.send(pid, "go on");
  expect((await kernel.wait(pid)).output).toBe(told[0]);
});
