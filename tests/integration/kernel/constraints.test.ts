import type { Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, sleepMs } from "../../helpers/kernel.ts";

const family = {
  child: async (sys: Sys) => codeOf(sys.exec("look", {})),
  parent: async (sys: Sys, input: Json) => {
    const codes = [];
    for (let i = 0; i < (input as number); i++) {
      const child = await sys.spawn("child", null, { capabilities: ["tool:look:call"] });
      codes.push((await sys.wait(child)).output);
    }
    return [...codes, await codeOf(sys.exec("look", {}))];
  },
};

test("`max` is one number for the whole tree", async () => {
  const { kernel, runs } = await bootForTest({ programs: family });

  const pid = await kernel.spawn({
    agent: "parent",
    input: 3,
    capabilities: ["agent:child:spawn", "tool:look:call{max:2}"],
  });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "ok", "EACCES", "EACCES"]);
  expect(runs.length).toBe(2);
});

test.each(["again", "crash"] as const)("`max` is kept over a restart (%s)", async (how) => {
  const booted = await bootForTest({
    programs: {
      ...family,
      parent: async (sys) => {
        const child = await sys.spawn("child", null, { capabilities: ["tool:look:call"] });
        await sys.wait(child);
        await sys.exec("look", {});
        await sys.receive();
        return [await codeOf(sys.exec("look", {})), await codeOf(sys.exec("look", {}))];
      },
    },
  });
  const pid = await booted.kernel.spawn({
    agent: "parent",
    capabilities: ["agent:child:spawn", "tool:look:call{max:3}"],
  });
  await booted.kernel.send(pid, "soon", { type: "x" });

  const { kernel, runs } = await booted[how]();

  expect((await kernel.wait(pid)).output).toEqual(["ok", "EACCES"]);
  expect(runs.length).toBeGreaterThanOrEqual(3);
});

test("many uses at once never exceed `max`", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      greedy: async (sys) =>
        (await Promise.all(Array.from({ length: 20 }, () => codeOf(sys.exec("look", {}))))).sort(),
    },
  });

  const pid = await kernel.spawn({ agent: "greedy", capabilities: ["tool:look:call{max:7}"] });

  const codes = (await kernel.wait(pid)).output as string[];
  expect(codes.filter((code) => code === "ok").length).toBe(7);
  expect(runs.length).toBe(7);
});

test("a use that was begun counts, although a crash hid its end", async () => {
  const booted = await bootForTest({
    programs: {
      payer: async (sys, hang) => {
        await codeOf(sys.exec("pay", { hang }, { onDoubt: "fail" }));
        return codeOf(sys.exec("pay", {}));
      },
      other: async (sys) => codeOf(sys.exec("pay", {})),
      parent: async (sys) => {
        const payer = await sys.spawn("payer", true, { capabilities: ["tool:pay:call"] });
        await sys.receive();
        const other = await sys.spawn("other", null, { capabilities: ["tool:pay:call"] });
        return [(await sys.wait(other)).output, (await sys.wait(payer)).output];
      },
    },
  });
  const pid = await booted.kernel.spawn({
    agent: "parent",
    capabilities: ["agent:*:spawn", "tool:pay:call{max:1}"],
  });
  await waitForRuns(booted.runs, 1);

  const { kernel, runs } = await booted.crash();

  await kernel.send(pid, "go on");
  expect((await kernel.wait(pid)).output).toEqual(["EACCES", "EACCES"]);
  expect(runs.length).toBe(1);
});

async function waitForRuns(runs: unknown[], count: number) {
  while (runs.length < count) await sleepMs(5);
  await sleepMs(20);
}

test("`expires` ends a grant, and what hangs below it", async () => {
  const { kernel } = await bootForTest({
    programs: {
      late: async (sys) => {
        const before = await codeOf(sys.exec("look", {}));
        await sys.sleep((await sys.now()) + 3000);
        return [before, await codeOf(sys.exec("look", {}))];
      },
    },
  });

  const pid = await kernel.spawn({
    agent: "late",
    capabilities: ["tool:look:call{expires:2500ms}"],
  });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "EACCES"]);
});

test("`rate` lets only so many through in its time", async () => {
  const { kernel } = await bootForTest({
    programs: {
      hasty: async (sys) => [
        await codeOf(sys.exec("look", {})),
        await codeOf(sys.exec("look", {})),
        await codeOf(sys.exec("look", {})),
      ],
    },
  });

  const pid = await kernel.spawn({ agent: "hasty", capabilities: ["tool:look:call{rate:2/h}"] });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "ok", "EAGAIN"]);
});

test("`timeout` stops a tool and is ETIMEDOUT", async () => {
  const { kernel, runs } = await bootForTest({
    programs: { slow: async (sys) => codeOf(sys.exec("look", { hang: true })) },
  });

  const pid = await kernel.spawn({ agent: "slow", capabilities: ["tool:look:call{timeout:30ms}"] });

  expect((await kernel.wait(pid)).output).toBe("ETIMEDOUT");
  expect(runs[0]!.signal.aborted).toBe(true);
});

test("`bytes` bounds what comes back, also of calls at once", async () => {
  const { kernel } = await bootForTest({
    programs: {
      reader: async (sys) => [
        await codeOf(sys.exec("look", { give: "x".repeat(60) })),
        (
          await Promise.all([1, 2].map(() => codeOf(sys.exec("look", { give: "x".repeat(25) }))))
        ).sort(),
      ],
    },
  });

  const pid = await kernel.spawn({ agent: "reader", capabilities: ["tool:look:call{bytes:100}"] });

  expect((await kernel.wait(pid)).output).toEqual(["ok", ["EBUDGET", "ok"]]);
});

test("a pin fixes an argument", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      payer: async (sys) => [
        await codeOf(sys.exec("pay", { to: "mallory" })),
        await codeOf(sys.exec("pay", { to: "alice" })),
        await codeOf(sys.exec("pay", {})),
      ],
    },
  });

  const pid = await kernel.spawn({
    agent: "payer",
    capabilities: ['tool:pay:call{pin.to: "alice"}'],
  });

  expect((await kernel.wait(pid)).output).toEqual(["EACCES", "ok", "EACCES"]);
  expect(runs.map(({ args }) => args)).toEqual([{ to: "alice" }]);
});
