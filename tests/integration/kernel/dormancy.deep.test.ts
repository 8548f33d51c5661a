import { expect, test } from "vitest";
import { bootForTest, codeOf, sleepMs, TOOLS, until } from "../../helpers/kernel.ts";

test("a process that waits costs rows, not memory", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: { idle: async (sys) => (await sys.receive()).body },
  });

  const pid = await kernel.spawn({ agent: "idle" });

  await until(async () => (await kernel.status()).loaded === 0, "sleep");
  expect(await kernel.show(pid)).toMatchObject({ state: "waiting", waitingOn: "message" });
});

test("one that works is not put to sleep, however long it takes", async () => {
  const { kernel, runs } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      busy: async (sys) =>
        Promise.all([sys.exec("look", { ms: 1500 }), sys.receive()]).then(() => "ok"),
    },
  });
  const pid = await kernel.spawn({ agent: "busy", capabilities: TOOLS });
  await until(() => runs.length === 1, "the run");
  await sleepMs(150);

  expect((await kernel.status()).loaded).toBe(1);
  await until(async () => (await kernel.status()).loaded === 0, "sleep");
  await kernel.send(pid, "end");
  expect((await kernel.wait(pid)).output).toBe("ok");
});

test("a message, a child's end, a timer, an answer and a signal each wake a process", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      child: async (sys) => {
        await sys.sleep((await sys.now()) + 60);
        return "child";
      },
      sleeper: async (sys) => {
        const woken: unknown[] = [];
        await sys.handle("SIGUSR2", (signal) => void woken.push(signal));
        woken.push((await sys.receive()).body);
        woken.push((await sys.wait(await sys.spawn("child", null))).output);
        await sys.sleep((await sys.now()) + 60);
        woken.push("timer");
        woken.push(await codeOf(sys.receive({ type: "never", until: (await sys.now()) + 60 })));
        woken.push(await sys.ask("?", { choices: ["yes"] }));
        await sys.receive();
        return woken;
      },
    },
  });
  const pid = await kernel.spawn({ agent: "sleeper", capabilities: ["agent:child:spawn"] });
  const asleep = async () => (await kernel.status()).loaded === 0;
  await until(asleep, "sleep");

  await kernel.send(pid, "message");
  await until(async () => (await kernel.questions()).length === 1, "the question");
  await until(asleep, "sleep before the answer");
  await kernel.answer((await kernel.questions())[0]!.id, { by: "bob", choice: "yes" });
  await until(async () => (await kernel.show(pid)).waitingOn === "message", "the last wait");
  await until(asleep, "sleep before the signal");
  await kernel.signal(pid, "SIGUSR2");
  await until(
    async () => (await kernel.journal(pid)).some((record) => record.kind === "signal"),
    "the signal",
  );
  await kernel.send(pid, "end");

  expect((await kernel.wait(pid)).output).toEqual([
    "message",
    "child",
    "timer",
    "ETIMEDOUT",
    "yes",
    "SIGUSR2",
  ]);
});

test("many sleep and are woken at once, each with its own message", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: { idle: async (sys, input) => [input, (await sys.receive()).body] },
  });
  const pids = await Promise.all(
    Array.from({ length: 300 }, (_, input) => kernel.spawn({ agent: "idle", input })),
  );
  await until(async () => (await kernel.status()).loaded === 0, "sleep");

  await Promise.all(pids.map((pid, n) => kernel.send(pid, n)));

  const outputs = await Promise.all(pids.map(async (pid) => (await kernel.wait(pid)).output));
  expect(outputs).toEqual(pids.map((_, n) => [n, n]));
  expect((await kernel.status()).loaded).toBe(0);
});

test("no message is lost or doubled while its receiver goes to sleep and wakes", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      counter: async (sys, input) => {
        const heard: unknown[] = [];
        while (heard.length < (input as number)) heard.push((await sys.receive()).body);
        return heard;
      },
    },
  });
  const count = 150;
  const pid = await kernel.spawn({ agent: "counter", input: count });

  for (let n = 0; n < count; n++) {
    const sending = kernel.send(pid, n);
    if (n % 3 === 0) await sending;
    if (n % 7 === 0) await sleepMs(n % 4);
  }

  const heard = (await kernel.wait(pid)).output as number[];
  expect(heard.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
});

test("two that talk to each other through their sleep lose nothing", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      echo: async (sys) => {
        for (;;) {
          const { from, body, replyTo } = await sys.receive();
          await sys.send(from, body, { replyTo: replyTo! });
          if (body === 39) return "done";
        }
      },
      caller: async (sys) => {
        const echo = await sys.spawn("echo", null);
        let sum = 0;
        for (let n = 0; n < 40; n++) sum += (await sys.request(echo, n)) as number;
        return [sum, (await sys.wait(echo)).output];
      },
    },
  });

  const pid = await kernel.spawn({ agent: "caller", capabilities: ["agent:echo:spawn"] });

  expect((await kernel.wait(pid)).output).toEqual([780, "done"]);
});

test("no child's end is lost on a parent that goes to sleep and wakes", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      child: async (sys, ms) => {
        if ((ms as number) > 0) await sys.sleep((await sys.now()) + (ms as number));
        return ms;
      },
      parent: async (sys, input) => {
        const ended: unknown[] = [];
        for (let n = 0; n < 6; n++) {
          const children = [];
          for (let i = 0; i < 3; i++)
            children.push(await sys.spawn("child", ((input as number) + n * i) % 5));
          for (const child of children) ended.push((await sys.wait(child)).state);
        }
        return ended.length;
      },
    },
  });

  const pids = await Promise.all(
    Array.from({ length: 20 }, (_, input) =>
      kernel.spawn({ agent: "parent", input, capabilities: ["agent:child:spawn"] }),
    ),
  );

  for (const pid of pids)
    expect(await kernel.wait(pid, { timeoutMs: 120_000 })).toMatchObject({ output: 18 });
});

test("one that waits for several things is found by each of them after a crash", async () => {
  const booted = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      idle: async (sys) => sys.receive(),
      both: async (sys) => {
        const child = await sys.spawn("idle", null);
        return Promise.race([
          sys.wait(child).then(() => "child"),
          sys.receive().then(() => "message"),
          sys.sleep((await sys.now()) + 600_000).then(() => "timer"),
        ]);
      },
    },
  });
  const pid = await booted.kernel.spawn({ agent: "both", capabilities: ["agent:idle:spawn"] });
  await until(async () => (await booted.kernel.status()).loaded === 0, "sleep");
  const sending = booted.kernel.send(pid, "hello");
  await sending;

  const { kernel } = await booted.crash();

  expect((await kernel.wait(pid, { timeoutMs: 120_000 })).output).toBe("message");
});

test("timers ring in their order while everybody sleeps, and those that passed while it was down at boot", async () => {
  const booted = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      sleeper: async (sys, ms) => {
        await sys.sleep((await sys.now()) + (ms as number));
        return sys.now();
      },
    },
  });
  const pids = [];
  for (const input of [2500, 1500, 500, 3000])
    pids.push(await booted.kernel.spawn({ agent: "sleeper", input }));
  const woken = [];
  for (const pid of pids.slice(0, 3)) woken.push((await booted.kernel.wait(pid)).output as number);
  await booted.kernel.close();
  await sleepMs(1000);

  const { kernel } = await booted.again();

  expect(woken[2]!).toBeLessThan(woken[1]!);
  expect(woken[1]!).toBeLessThan(woken[0]!);
  expect((await kernel.wait(pids[3]!, { timeoutMs: 120_000 })).state).toBe("completed");
});
