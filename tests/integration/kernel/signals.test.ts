import { signalNames, type SignalName } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, kindsOf, sleepMs, until, type Booted } from "../../helpers/kernel.ts";

const didOf = async ({ kernel }: Pick<Booted, "kernel">, pid: string) =>
  (await kernel.journal(pid)).flatMap((record) =>
    record.kind === "signal" ? [`${record.signal} ${record.did}`] : [],
  );

const endings: [SignalName, number, string][] = [
  ["SIGINT", 130, "killed"],
  ["SIGTERM", 130, "killed"],
  ["SIGKILL", 137, "killed"],
  ["SIGPOLICY", 96, "killed"],
  ["SIGTRUST", 96, "killed"],
  ["SIGBUDGET", 64, "killed"],
  ["SIGLOOP", 130, "killed"],
];

test.each(endings.flatMap((row) => [0, 10_000].map((unload) => [...row, unload] as const)))(
  "%s ends a waiting process with %i, %s (unloaded after %i ms)",
  async (signal, exitCode, state, unloadAfterMs) => {
    const { kernel } = await bootForTest({
      unloadAfterMs,
      programs: { idle: async (sys) => sys.receive() },
    });
    const pid = await kernel.spawn({ agent: "idle" });

    await kernel.signal(pid, signal);

    expect(await kernel.wait(pid)).toMatchObject({ state, exitCode });
    const dumped = (await kernel.coreDump(pid)) !== undefined;
    expect(dumped).toBe(exitCode >= 96 && exitCode !== 130);
  },
);

test.each([
  ["SIGUSR1", "checkpoint"],
  ["SIGUSR2", "ignored"],
  ["SIGDRIFT", "ignored"],
  ["SIGCTX", "ignored"],
  ["SIGCONT", "ignored"],
] as const)("%s is recorded as %s, and the process goes on", async (signal, did) => {
  const { kernel } = await bootForTest({
    programs: { idle: async (sys) => (await sys.receive()).body },
  });
  const pid = await kernel.spawn({ agent: "idle" });

  await kernel.signal(pid, signal);
  await until(async () => (await didOf({ kernel }, pid)).length === 1, "the record");
  await kernel.send(pid, "end");

  expect((await kernel.wait(pid)).output).toBe("end");
  expect(await didOf({ kernel }, pid)).toEqual([`${signal} ${did}`]);
});

test("handlers are told in the order of sending, and at the same place in a replay", async () => {
  const { kernel } = await bootForTest({
    programs: {
      listener: async (sys) => {
        const heard: unknown[] = [];
        for (const signal of ["SIGUSR1", "SIGUSR2", "SIGINT", "SIGTERM"] as const)
          await sys.handle(signal, async () => {
            heard.push(`${signal} ${await sys.random()}`);
          });
        for (let i = 0; i < 3; i++) heard.push((await sys.receive()).body);
        return heard.map(String).map((text) => text.split(" ")[0]);
      },
    },
  });
  const pid = await kernel.spawn({ agent: "listener" });
  await until(async () => (await kernel.show(pid)).waitingOn === "message", "waiting");

  await kernel.signal(pid, "SIGTERM");
  await kernel.send(pid, "one");
  await kernel.signal(pid, "SIGUSR2");
  await kernel.signal(pid, "SIGUSR1");
  await kernel.send(pid, "two");
  await kernel.signal(pid, "SIGINT");
  await until(async () => (await didOf({ kernel }, pid)).length === 4, "the fourth");
  await kernel.send(pid, "three");

  const heard = (await kernel.wait(pid)).output as string[];
  expect(heard.filter((text) => text.startsWith("SIG"))).toEqual([
    "SIGTERM",
    "SIGUSR2",
    "SIGUSR1",
    "SIGINT",
  ]);
});

test.each([0, 10_000])(
  "a handler holds through sleep and restart (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const booted = await bootForTest({
      unloadAfterMs,
      programs: {
        listener: async (sys) => {
          const heard: string[] = [];
          await sys.handle("SIGTERM", (signal) => void heard.push(signal));
          await sys.now();
          await sys.receive();
          return heard;
        },
      },
    });
    const pid = await booted.kernel.spawn({ agent: "listener" });
    await until(async () => kindsOf(await booted.kernel.journal(pid)).includes("call"), "the call");
    await booted.kernel.signal(pid, "SIGTERM");
    await until(async () => (await didOf(booted, pid)).length === 1, "the first");

    const { kernel } = await booted.again();

    await kernel.signal(pid, "SIGTERM");
    await until(async () => (await didOf({ kernel }, pid)).length === 2, "the second");
    await kernel.send(pid, "end");
    expect((await kernel.wait(pid)).output).toEqual(["SIGTERM", "SIGTERM"]);
  },
);

test("an ignored signal does nothing, and `default` takes a handler back", async () => {
  const { kernel } = await bootForTest({
    programs: {
      deaf: async (sys) => {
        await sys.handle("SIGTERM", "ignore");
        await sys.receive();
        await sys.handle("SIGTERM", "default");
        await sys.receive();
      },
    },
  });
  const pid = await kernel.spawn({ agent: "deaf" });
  await until(async () => (await kernel.show(pid)).waitingOn === "message", "waiting");

  await kernel.signal(pid, "SIGTERM");
  await kernel.send(pid, "go on");
  await until(async () => (await kernel.journal(pid)).length === 3, "the message");
  await kernel.signal(pid, "SIGTERM");

  expect((await kernel.wait(pid)).exitCode).toBe(130);
  expect(await didOf({ kernel }, pid)).toEqual(["SIGTERM ignored", "SIGTERM ended"]);
});

test("a masked signal waits, over a restart too, and comes when it is unmasked", async () => {
  const booted = await bootForTest({
    programs: {
      shy: async (sys) => {
        const heard: string[] = [];
        await sys.handle("SIGUSR2", (signal) => void heard.push(signal));
        await sys.mask(["SIGUSR2", "SIGTERM"]);
        await sys.receive();
        const before = [...heard];
        await sys.mask([]);
        await sys.now();
        return [before, heard];
      },
    },
  });
  const pid = await booted.kernel.spawn({ agent: "shy" });
  await until(async () => (await booted.kernel.show(pid)).waitingOn === "message", "waiting");
  await booted.kernel.signal(pid, "SIGUSR2");

  const { kernel } = await booted.again();

  await sleepMs(50);
  expect(await didOf({ kernel }, pid)).toEqual([]);
  await kernel.send(pid, "go on");
  expect((await kernel.wait(pid)).output).toEqual([[], ["SIGUSR2"]]);
});

test("what ends a process is masked too, until it is not", async () => {
  const { kernel } = await bootForTest({
    programs: {
      shy: async (sys) => {
        await sys.mask(["SIGTERM"]);
        await sys.receive();
        await sys.mask([]);
        return "too late";
      },
    },
  });
  const pid = await kernel.spawn({ agent: "shy" });
  await until(async () => (await kernel.show(pid)).waitingOn === "message", "waiting");
  await kernel.signal(pid, "SIGTERM");
  await sleepMs(20);
  expect((await kernel.show(pid)).state).toBe("waiting");

  await kernel.send(pid, "go on");

  expect(await kernel.wait(pid)).toMatchObject({ exitCode: 130, output: null });
});

const fixed = ["SIGKILL", "SIGPOLICY", "SIGTRUST"] as const;

test.each(fixed)("%s can be neither masked nor handled nor ignored", async (signal) => {
  const { kernel } = await bootForTest({
    programs: {
      rebel: async (sys) => {
        const codes = [
          await codeOf(sys.mask([signal])),
          await codeOf(sys.handle(signal, () => {})),
          await codeOf(sys.handle(signal, "ignore")),
        ];
        await sys.write("/mem/working/codes", codes);
        await sys.receive();
      },
    },
  });
  const pid = await kernel.spawn({ agent: "rebel", capabilities: ["memory:/mem/**:*"] });
  await until(async () => kindsOf(await kernel.journal(pid)).includes("call"), "the call");
  const write = (await kernel.journal(pid)).find((record) => record.kind === "call");

  await kernel.signal(pid, signal);

  expect((write!.args as { data: string[] }).data).toEqual(["EINVAL", "EINVAL", "EINVAL"]);
  expect((await kernel.wait(pid)).state).toBe("killed");
});

test("every signal of the table is tried in this file or the next", () => {
  const tried = [
    ...endings.map(([name]) => name),
    "SIGUSR1",
    "SIGUSR2",
    "SIGDRIFT",
    "SIGCTX",
    "SIGCONT",
    "SIGSTOP",
  ];

  expect(tried.sort()).toEqual([...signalNames].sort());
});
