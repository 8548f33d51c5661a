import type { Kernel } from "@aos/kernel";
import type { Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, kindsOf, sleepMs, TOOLS, until } from "../../helpers/kernel.ts";

const ticker = async (sys: Sys) => {
  for (let i = 0; i < 400; i++) await sys.exec("look", { ms: 5 });
  return "done";
};

/** How long its journal is, once what was under way has been written. */
async function lengthAtRest(kernel: Kernel, pid: string): Promise<number> {
  for (;;) {
    const { length } = await kernel.journal(pid);
    await sleepMs(500);
    if ((await kernel.journal(pid)).length === length) return length;
  }
}

test("a paused process writes nothing more, and goes on where it was", async () => {
  const { kernel } = await bootForTest({ programs: { ticker } });
  const pid = await kernel.spawn({ agent: "ticker", capabilities: TOOLS });
  await until(async () => (await kernel.journal(pid)).length > 3, "some ticks");

  await kernel.signal(pid, "SIGSTOP");
  await until(async () => (await kernel.show(pid)).state === "paused", "the pause");
  const before = await lengthAtRest(kernel, pid);
  await sleepMs(100);

  expect((await kernel.journal(pid)).length).toBe(before);
  expect((await kernel.show(pid)).state).toBe("paused");
  await kernel.signal(pid, "SIGCONT");
  expect((await kernel.wait(pid)).output).toBe("done");
});

test.each(["again", "crash"] as const)(
  "a paused process stays paused over a restart (%s) and goes on at SIGCONT",
  async (how) => {
    const booted = await bootForTest({ programs: { ticker } });
    const pid = await booted.kernel.spawn({ agent: "ticker", capabilities: TOOLS });
    await until(async () => (await booted.kernel.journal(pid)).length > 3, "some ticks");
    await booted.kernel.signal(pid, "SIGSTOP");
    await until(async () => (await booted.kernel.show(pid)).state === "paused", "the pause");
    await lengthAtRest(booted.kernel, pid);

    const { kernel } = await booted[how]();

    const before = (await kernel.journal(pid)).length;
    await sleepMs(100);
    expect((await kernel.show(pid)).state).toBe("paused");
    expect((await kernel.journal(pid)).length).toBe(before);
    await kernel.signal(pid, "SIGCONT");
    expect((await kernel.wait(pid)).output).toBe("done");
    const signals = (await kernel.journal(pid)).filter((record) => record.kind === "signal");
    expect(signals.map(({ did }) => did)).toEqual(["stopped", "continued"]);
  },
);

test.each([0, 300, 10_000])(
  "what comes while a process is paused waits for it (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const { kernel } = await bootForTest({
      unloadAfterMs,
      programs: {
        listener: async (sys) => {
          const heard: unknown[] = [];
          await sys.handle("SIGUSR2", (signal) => void heard.push(signal));
          await sys.now();
          const { body } = await sys.receive();
          await sys.now();
          return [body, ...heard];
        },
      },
    });
    const pid = await kernel.spawn({ agent: "listener" });
    await until(async () => kindsOf(await kernel.journal(pid)).includes("call"), "the call");
    await kernel.signal(pid, "SIGSTOP");
    await until(async () => (await kernel.show(pid)).state === "paused", "the pause");
    await sleepMs(600);

    await kernel.signal(pid, "SIGUSR2");
    await kernel.send(pid, "hello");
    await sleepMs(150);

    expect((await kernel.show(pid)).state).toBe("paused");
    const signals = (await kernel.journal(pid)).filter((record) => record.kind === "signal");
    expect(signals.map(({ did }) => did)).toEqual(["stopped"]);
    await kernel.signal(pid, "SIGCONT");
    expect((await kernel.wait(pid)).output).toEqual(["hello", "SIGUSR2"]);
  },
);

test("a timer that passes while a process is paused ends its wait when it goes on", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      sleeper: async (sys) => {
        await sys.sleep((await sys.now()) + 2000);
        return "awake";
      },
    },
  });
  const pid = await kernel.spawn({ agent: "sleeper" });
  await kernel.signal(pid, "SIGSTOP");
  await until(async () => (await kernel.show(pid)).state === "paused", "the pause");
  await sleepMs(2200);
  expect((await kernel.show(pid)).state).toBe("paused");

  await kernel.signal(pid, "SIGCONT");

  expect((await kernel.wait(pid)).output).toBe("awake");
});

test.each([0, 10_000])(
  "a paused process can be ended (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const { kernel } = await bootForTest({
      unloadAfterMs,
      programs: { idle: async (sys) => sys.receive() },
    });
    const codes = [];
    for (const signal of ["SIGKILL", "SIGTERM", "SIGINT"] as const) {
      const pid = await kernel.spawn({ agent: "idle" });
      await kernel.signal(pid, "SIGSTOP");
      await until(async () => (await kernel.show(pid)).state === "paused", "the pause");

      await kernel.signal(pid, signal);

      codes.push((await kernel.wait(pid)).exitCode);
    }
    expect(codes).toEqual([137, 130, 130]);
  },
);

test("SIGCONT wakes a paused process whatever it has said of it", async () => {
  const { kernel } = await bootForTest({
    programs: {
      masked: async (sys) => {
        await sys.mask(["SIGCONT"]);
        return (await sys.receive()).body;
      },
    },
  });
  const pid = await kernel.spawn({ agent: "masked" });
  await until(async () => (await kernel.show(pid)).waitingOn === "message", "waiting");
  await kernel.signal(pid, "SIGSTOP");

  await kernel.signal(pid, "SIGCONT");
  await kernel.send(pid, "hello");

  expect((await kernel.wait(pid)).output).toBe("hello");
});

test("stop and go, many times and in any order, loses nothing", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      counter: async (sys) => {
        const heard: unknown[] = [];
        while (heard.length < 20) heard.push((await sys.receive()).body);
        return heard.length;
      },
    },
  });
  const pid = await kernel.spawn({ agent: "counter" });

  for (let n = 0; n < 20; n++) {
    await kernel.signal(pid, "SIGSTOP");
    const sending = kernel.send(pid, n);
    await kernel.signal(pid, "SIGCONT");
    await sending;
  }

  expect((await kernel.wait(pid)).output).toBe(20);
});

test("a program that is stopped between its calls stops at the next one", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      thinker: async (sys) => {
        await sys.now();
        await sleepMs(1500);
        await sys.exec("pay", {});
        return "done";
      },
    },
  });
  const pid = await kernel.spawn({ agent: "thinker", capabilities: TOOLS });
  await until(async () => kindsOf(await kernel.journal(pid)).includes("call"), "the first call");
  await kernel.signal(pid, "SIGSTOP");

  await until(async () => (await kernel.show(pid)).state === "paused", "the pause");
  await sleepMs(50);

  expect(runs).toEqual([]);
  await kernel.signal(pid, "SIGCONT");
  expect((await kernel.wait(pid)).output).toBe("done");
  expect(runs.length).toBe(1);
});
