import { SysError, type Json, type Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf, TOOLS, until } from "../../helpers/kernel.ts";

/** Chains of calls that run side by side, with promises of different depth between the calls. */
async function braid(sys: Sys): Promise<Json> {
  const deep = async (n: number): Promise<void> => (n === 0 ? undefined : deep(n - 1));
  const order: string[] = [];
  const chain = async (name: string, latencies: number[], depth: number) => {
    for (const [step, ms] of latencies.entries()) {
      await sys.exec("look", { ms, name, step });
      await deep(depth);
      order.push(`${name}${step}`);
      await sys.write(`/mem/working/${name}${step}`, order.length);
    }
  };
  await Promise.all([
    chain("a", [30, 1, 1, 20], 9),
    chain("b", [1, 30, 1], 0),
    chain("c", [10, 10, 10], 4),
    chain("d", [0, 0, 0, 0, 0, 0], 1),
  ]);
  return order;
}

const capabilities = [...TOOLS, "memory:/mem/**:*"];

test("calls side by side are told in the order in which they ended, and again in a replay", async () => {
  const { kernel } = await bootForTest({ programs: { braid } });

  const pid = await kernel.spawn({ agent: "braid", capabilities });

  await kernel.wait(pid);
  expect(await kernel.replay(pid)).toMatchObject({ identical: true, records: 34 });
});

test("side by side calls go on in the same order after a crash at any time", async () => {
  let booted = await bootForTest({ programs: { braid } });
  const pid = await booted.kernel.spawn({ agent: "braid", capabilities });

  for (const records of [3, 8, 14, 20, 27]) {
    await until(async () => (await booted.kernel.journal(pid)).length > records, "progress");
    booted = await booted.crash();
  }

  const { state, output } = await booted.kernel.wait(pid);
  expect(state).toBe("completed");
  expect((output as string[]).length).toBe(16);
});

test("the loser of a race is in the journal, and the end knows only what had been told", async () => {
  const { kernel } = await bootForTest({
    programs: {
      racer: async (sys) => {
        const slow = sys.exec("look", { ms: 40, give: "slow" });
        const winner = await Promise.race([slow, sys.exec("look", { give: "fast" })]);
        await sys.sleep((await sys.now()) + 80);
        return winner;
      },
      quitter: async (sys) => {
        const all = [sys.exec("look", { ms: 10 }), sys.exec("look", { ms: 10 }), sys.now()];
        return Promise.any(all);
      },
    },
  });

  const [racer, quitter] = [
    await kernel.spawn({ agent: "racer", capabilities }),
    await kernel.spawn({ agent: "quitter", capabilities }),
  ];

  expect((await kernel.wait(racer)).output).toBe("fast");
  expect((await kernel.wait(quitter)).state).toBe("completed");
});

test("answers that were recorded and not yet told when a program ended do not confuse its replay", async () => {
  const { kernel } = await bootForTest({
    programs: {
      hasty: async (sys) => {
        const calls = Array.from({ length: 20 }, () => sys.random());
        await Promise.race(calls);
        return "first";
      },
    },
  });

  const pids = [];
  for (let i = 0; i < 5; i++) pids.push(await kernel.spawn({ agent: "hasty" }));

  for (const pid of pids) {
    await kernel.wait(pid);
    expect(await kernel.replay(pid)).toMatchObject({ identical: true });
  }
});

test("what a program says of signals between its calls does not change the order of a replay", async () => {
  const { kernel } = await bootForTest({
    programs: {
      chatty: async (sys) => {
        const order: string[] = [];
        const chain = async (name: string) => {
          for (let i = 0; i < 4; i++) {
            await sys.now();
            if (name === "b") continue;
            await sys.handle("SIGUSR2", () => {});
            if (name === "a") await sys.mask(i % 2 === 0 ? ["SIGUSR1"] : []);
            order.push(`${name}${i} ${await codeOf(sys.random())}`);
          }
        };
        await Promise.all([chain("a"), chain("b"), chain("c")]);
        return order;
      },
    },
  });

  const pid = await kernel.spawn({ agent: "chatty" });

  expect(((await kernel.wait(pid)).output as string[]).length).toBe(8);
  expect(await kernel.replay(pid)).toMatchObject({ identical: true });
});

test("a program that asks for something else than its journal has is parked and names both", async () => {
  const booted = await bootForTest({
    programs: {
      changed: async (sys) => {
        await sys.write("/mem/working/old", 1);
        await sys.receive();
      },
    },
  });
  const pid = await booted.kernel.spawn({ agent: "changed", capabilities });
  await until(async () => (await booted.kernel.journal(pid)).length === 2, "the write");

  const { kernel } = await booted.again({
    programs: {
      changed: async (sys) => {
        await sys.write("/mem/working/new", 1);
        await sys.receive();
      },
    },
  });

  await until(async () => (await kernel.show(pid)).error !== null, "it is parked");
  const { state, error } = await kernel.show(pid);
  expect({ state, code: error?.code }).toEqual({ state: "paused", code: "REPLAY_DIVERGED" });
  expect(error?.message).toContain("/mem/working/old");
  expect(error?.message).toContain("/mem/working/new");
});

test("a program that ends earlier than it did has diverged", async () => {
  const booted = await bootForTest({
    programs: {
      changed: async (sys) => {
        await sys.now();
        await sys.random();
        await sys.receive();
      },
    },
  });
  const pid = await booted.kernel.spawn({ agent: "changed" });
  await until(async () => (await booted.kernel.journal(pid)).length === 3, "the calls");

  const { kernel } = await booted.again({ programs: { changed: async (sys) => sys.now() } });

  await until(async () => (await kernel.show(pid)).error !== null, "it is parked");
  expect((await kernel.show(pid)).error).toMatchObject({
    code: "REPLAY_DIVERGED",
    message: expect.stringContaining("random") as string,
  });
});

test("a replay of a changed program says where it differs", async () => {
  const booted = await bootForTest({
    programs: { steady: async (sys) => [await sys.now(), await sys.random()] },
  });
  const pid = await booted.kernel.spawn({ agent: "steady" });
  await booted.kernel.wait(pid);

  const { kernel, again } = await booted.again({
    programs: { steady: async (sys) => [await sys.now(), await sys.now()] },
  });

  expect(await kernel.replay(pid)).toMatchObject({
    identical: false,
    difference: { seq: 2, recorded: expect.stringContaining("random") as string },
  });
  await again({ programs: { steady: async (sys) => [await sys.now(), await sys.random()] } });
});

test("a program's own error is compared, even in the kernel's words for a crash", async () => {
  const words = "its program crashed: it broke the syscall protocol";
  const dying = (code: "EPROGRAM" | "EINVAL", more: string) => async () => {
    throw new SysError(code, words + more);
  };
  const then = { one: dying("EPROGRAM", " then"), two: dying("EINVAL", " then") };
  const booted = await bootForTest({ programs: then });
  const pids = [
    await booted.kernel.spawn({ agent: "one" }),
    await booted.kernel.spawn({ agent: "two" }),
  ];
  for (const pid of pids) await booted.kernel.wait(pid);

  const { kernel, again } = await booted.again({
    programs: { one: dying("EPROGRAM", " now"), two: dying("EINVAL", " now") },
  });

  for (const pid of pids) expect(await kernel.replay(pid)).toMatchObject({ identical: false });
  await again({ programs: then });
});

test("large values are kept once and come back whole", async () => {
  const large = "y".repeat(100_000);
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      big: async (sys, input) => {
        await sys.write("/mem/working/a", input);
        await sys.receive();
        const again = await sys.read("/mem/working/a");
        return again === input ? again : "different";
      },
    },
  });
  const pid = await kernel.spawn({ agent: "big", input: large, capabilities });

  await kernel.send(pid, { $blob: "not a reference" });

  expect((await kernel.wait(pid)).output).toBe(large);
  const records = await kernel.journal(pid);
  expect(JSON.stringify(records).length).toBeLessThan(3000);
  expect(callsOf(records)).toEqual(["write ok", "receive ok", "read ok"]);
});
