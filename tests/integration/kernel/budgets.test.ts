import type { JournalRecord } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, kindsOf, sleepMs, TOOLS, until } from "../../helpers/kernel.ts";

const ask = { model: "fake/one", messages: [{ role: "user" as const, content: "?" }] };

test.each([
  ["tokens", { tokens: 240 }],
  ["usd", { usd: 0.024 }],
])("%s are refused before anything is sent, for the worst case", async (_unit, budget) => {
  const { kernel } = await bootForTest({
    programs: {
      asker: async (sys) => {
        const codes = [];
        for (let i = 0; i < 4; i++) codes.push(await codeOf(sys.infer(ask)));
        return codes;
      },
    },
  });

  const pid = await kernel.spawn({ agent: "asker", capabilities: ["model:*:infer"], budget });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "ok", "ok", "EBUDGET"]);
});

test("calls at once reserve their worst case, so that together they stay within the budget", async () => {
  const { kernel } = await bootForTest({
    programs: {
      asker: async (sys) =>
        (await Promise.all(Array.from({ length: 5 }, () => codeOf(sys.infer(ask))))).sort(),
    },
  });

  const pid = await kernel.spawn({
    agent: "asker",
    capabilities: ["model:*:infer"],
    budget: { tokens: 240 },
  });

  expect((await kernel.wait(pid)).output).toEqual(["EBUDGET", "EBUDGET", "EBUDGET", "ok", "ok"]);
});

test("tool calls count whether they succeed, fail or run out of time", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      doer: async (sys) => [
        await codeOf(sys.exec("look", {})),
        await codeOf(sys.exec("look", { fail: "no" })),
        await codeOf(sys.exec("look", { hang: true }, { timeoutMs: 10 })),
        await codeOf(sys.exec("look", {})),
      ],
    },
  });

  const pid = await kernel.spawn({ agent: "doer", capabilities: TOOLS, budget: { toolCalls: 3 } });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "EUPSTREAM", "ETIMEDOUT", "EBUDGET"]);
  expect(runs.length).toBe(3);
  expect((await kernel.show(pid)).budget.spent.toolCalls).toBe(3);
});

test.each(["again", "crash", "unload"] as const)(
  "a budget is the whole tree's, and what was spent is spent over: %s",
  async (how) => {
    const booted = await bootForTest({
      unloadAfterMs: how === "unload" ? 0 : 10_000,
      programs: {
        child: async (sys) => codeOf(sys.exec("look", {})),
        parent: async (sys) => {
          const children = [];
          for (let i = 0; i < 2; i++)
            children.push(await sys.spawn("child", null, { capabilities: TOOLS }));
          for (const child of children) await sys.wait(child);
          await sys.receive();
          return [await codeOf(sys.exec("look", {})), await codeOf(sys.exec("look", {}))];
        },
      },
    });
    const pid = await booted.kernel.spawn({
      agent: "parent",
      capabilities: ["agent:child:spawn", ...TOOLS],
      budget: { toolCalls: 3 },
    });
    await until(async () => (await booted.kernel.show(pid)).waitingOn === "message", "waiting");

    const { kernel, runs } = how === "unload" ? booted : await booted[how]();

    await kernel.send(pid, "go on");
    expect((await kernel.wait(pid)).output).toEqual(["ok", "EBUDGET"]);
    expect(runs.length).toBe(3);
  },
);

test("a child gets a slice: its own budget refuses before its parent's does", async () => {
  const { kernel } = await bootForTest({
    programs: {
      child: async (sys) => [
        await codeOf(sys.exec("look", {})),
        await codeOf(sys.exec("look", {})),
      ],
      parent: async (sys) => {
        const child = await sys.spawn("child", null, {
          capabilities: TOOLS,
          budget: { toolCalls: 1 },
        });
        return [(await sys.wait(child)).output, await codeOf(sys.exec("look", {}))];
      },
    },
  });

  const pid = await kernel.spawn({
    agent: "parent",
    capabilities: ["agent:child:spawn", ...TOOLS],
    budget: { toolCalls: 5 },
  });

  expect((await kernel.wait(pid)).output).toEqual([["ok", "EBUDGET"], "ok"]);
});

test("work that was killed counts for what it may have cost", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      child: async (sys) => sys.exec("look", { hang: true }),
      parent: async (sys) => {
        const codes = [];
        for (let i = 0; i < 3; i++) {
          const child = await sys.spawn("child", null, { capabilities: TOOLS });
          await sys.sleep((await sys.now()) + 50);
          await codeOf(sys.signal(child, "SIGKILL"));
          codes.push((await sys.wait(child)).exitCode);
        }
        return codes;
      },
    },
  });

  const pid = await kernel.spawn({
    agent: "parent",
    capabilities: ["agent:child:spawn", ...TOOLS],
    budget: { toolCalls: 2 },
  });

  expect((await kernel.wait(pid)).output).toEqual([137, 137, 64]);
  expect(runs.length).toBe(2);
  const spent = [];
  for (const child of await kernel.list({ parent: pid }))
    spent.push((await kernel.show(child.pid)).budget.spent.toolCalls);
  expect(spent.sort()).toEqual([0, 1, 1]);
});

test.each([0, 10_000])(
  "time that is up ends a process with exit 64 (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const { kernel } = await bootForTest({
      unloadAfterMs,
      programs: { sleeper: async (sys) => sys.receive() },
    });

    const pid = await kernel.spawn({ agent: "sleeper", budget: { wallMs: 500 } });

    expect(await kernel.wait(pid)).toMatchObject({ state: "killed", exitCode: 64 });
    const noted = (record: JournalRecord) => record.kind === "signal" && record.did === "noted";
    const records = (await kernel.journal(pid)).filter((record) => !noted(record));
    expect(kindsOf(records)).toEqual(["start", "signal", "end"]);
  },
);

/** Long enough for a program to be there and to have said what it handles, also on a slow machine. */
const READY_MS = 2000;

test("time passes also while the kernel is down", async () => {
  const booted = await bootForTest({ programs: { sleeper: async (sys) => sys.receive() } });
  const pid = await booted.kernel.spawn({ agent: "sleeper", budget: { wallMs: 300 } });
  await sleepMs(50);
  await booted.kernel.close();
  await sleepMs(300);

  const { kernel } = await booted.again();

  expect(await kernel.wait(pid, { timeoutMs: 120_000 })).toMatchObject({ exitCode: 64 });
});

test.each([0, 10_000])(
  "a process that handles the end of its time is told once (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const { kernel } = await bootForTest({
      unloadAfterMs,
      programs: {
        stubborn: async (sys) => {
          let told = 0;
          await sys.handle("SIGBUDGET", (_signal, part) => {
            if (part === undefined) told += 1;
          });
          await sys.receive();
          await sys.receive();
          return told;
        },
      },
    });
    const pid = await kernel.spawn({ agent: "stubborn", budget: { wallMs: READY_MS } });
    await until(async () => kindsOf(await kernel.journal(pid)).includes("signal"), "the signal");
    await sleepMs(READY_MS); // the first is a warning

    await kernel.send(pid, 1);
    await sleepMs(100);
    await kernel.send(pid, 2);

    expect((await kernel.wait(pid)).output).toBe(1);
  },
);

test("a process that does not want to hear of the end of its time yet is told once when it does", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      shy: async (sys) => {
        let told = 0;
        await sys.handle("SIGBUDGET", (_signal, part) => {
          if (part === undefined) told += 1;
        });
        await sys.mask(["SIGBUDGET"]);
        for (let i = 0; i < 4; i++) await sys.receive();
        await sys.mask([]);
        await sys.now();
        return told;
      },
    },
  });
  const pid = await kernel.spawn({ agent: "shy", budget: { wallMs: READY_MS } });

  await until(async () => (await kernel.show(pid)).waitingOn === "message", "it waits");
  await sleepMs(READY_MS);
  for (let n = 0; n < 4; n++) {
    await sleepMs(60);
    await kernel.send(pid, n);
  }

  expect((await kernel.wait(pid)).output).toBe(1);
});
