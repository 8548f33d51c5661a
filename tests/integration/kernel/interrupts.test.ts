import { expect, test } from "vitest";
import { bootForTest, codeOf, kindsOf, TOOLS, until } from "../../helpers/kernel.ts";

test("SIGKILL stops a tool in the middle and takes the children along", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      child: async (sys) => sys.exec("pay", { hang: true }),
      parent: async (sys) => {
        await sys.spawn("child", null, { capabilities: TOOLS });
        await sys.exec("look", { hang: true });
      },
    },
  });
  const pid = await kernel.spawn({
    agent: "parent",
    capabilities: ["agent:child:spawn", ...TOOLS],
  });
  await until(() => runs.length === 2, "both tools");

  await kernel.signal(pid, "SIGKILL");

  await kernel.wait(pid);
  const [child] = await kernel.list({ parent: pid });
  expect((await kernel.wait(child!.pid)).exitCode).toBe(137);
  expect(runs.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

test("SIGINT lets the tool that runs finish; SIGTERM does not", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      worker: async (sys) => {
        await sys.exec("look", { hold: true });
        await sys.exec("look", { hold: true });
      },
    },
  });
  const [polite, prompt] = [
    await kernel.spawn({ agent: "worker", capabilities: TOOLS }),
    await kernel.spawn({ agent: "worker", capabilities: TOOLS }),
  ];
  await until(() => runs.length === 2, "both tools");

  await kernel.signal(polite, "SIGINT");
  await kernel.signal(prompt, "SIGTERM");
  expect((await kernel.wait(prompt)).exitCode).toBe(130);
  for (const { release } of runs) release();

  expect((await kernel.wait(polite)).exitCode).toBe(130);
  expect(kindsOf(await kernel.journal(polite))).toEqual(["start", "signal", "call", "end"]);
  expect(kindsOf(await kernel.journal(prompt))).toEqual(["start", "signal", "end"]);
  expect(runs.length).toBe(2);
});

test("a process that was told to finish does so after a restart too", async () => {
  const booted = await bootForTest({
    programs: {
      worker: async (sys) => {
        await sys.exec("look", { ms: 60 });
        await sys.receive();
        return "never told";
      },
    },
  });
  const pid = await booted.kernel.spawn({ agent: "worker", capabilities: TOOLS });
  await until(() => booted.runs.length === 1, "the tool");
  await booted.kernel.signal(pid, "SIGINT");

  const { kernel } = await booted.crash();

  expect(await kernel.wait(pid, { timeoutMs: 120_000 })).toMatchObject({ exitCode: 130 });
});

test("a signal from a process needs a capability or kinship, and is delivered once", async () => {
  const booted = await bootForTest({
    programs: {
      child: async (sys) => {
        let heard = 0;
        await sys.handle("SIGUSR2", () => {
          heard += 1;
        });
        await sys.now();
        await sys.send((await sys.self()).parent!, "ready");
        await sys.receive();
        return heard;
      },
      parent: async (sys, stranger) => {
        const child = await sys.spawn("child", null);
        await sys.receive();
        await sys.signal(child, "SIGUSR2");
        const refused = await codeOf(sys.signal(stranger as string, "SIGKILL"));
        await sys.receive();
        await sys.send(child, "end");
        return [refused, (await sys.wait(child)).output];
      },
      stranger: async (sys) => sys.receive(),
    },
  });
  const stranger = await booted.kernel.spawn({ agent: "stranger" });
  const pid = await booted.kernel.spawn({
    agent: "parent",
    input: stranger,
    capabilities: ["agent:child:spawn"],
  });
  await until(async () => (await booted.kernel.show(pid)).waitingOn === "message", "waiting");

  const { kernel } = await booted.again();

  await kernel.send(pid, "go on");
  expect((await kernel.wait(pid)).output).toEqual(["EACCES", 1]);
});
