import type { Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf, kindsOf, until } from "../../helpers/kernel.ts";

interface Sum {
  readonly total: number;
  readonly starts: number;
}

/** Adds up what it is sent. `starts` counts how often it was begun from the input. */
async function adder(sys: Sys, _input: Json, state?: Json): Promise<Json> {
  let { total, starts } = (state ?? { total: 0, starts: 1 }) as unknown as Sum;
  for (;;) {
    const { body } = await sys.receive();
    if (body === "end") return { total, starts };
    total += body as number;
    await sys.checkpoint({ total, starts });
  }
}

test.each(["again", "crash", "unload"] as const)(
  "a long-lived process goes on from its last checkpoint after: %s",
  async (how) => {
    let booted = await bootForTest({
      unloadAfterMs: how === "unload" ? 0 : 10_000,
      programs: { adder },
    });
    const pid = await booted.kernel.spawn({ agent: "adder" });

    for (let n = 1; n <= 6; n++) {
      await booted.kernel.send(pid, n);
      await until(
        async () =>
          callsOf(await booted.kernel.journal(pid)).filter((call) => call === "checkpoint ok")
            .length === n,
        `checkpoint ${n}`,
      );
      if (how !== "unload") booted = await booted[how]();
    }
    await booted.kernel.send(pid, "end");

    expect((await booted.kernel.wait(pid)).output).toEqual({ total: 21, starts: 1 });
  },
);

test("a replay from a checkpoint is given the state and not what came before it", async () => {
  const lives: Json[] = [];
  const booted = await bootForTest({
    programs: {
      counter: async (sys, _input, state) => {
        lives.push(state ?? null);
        if (state === undefined) {
          for (let i = 0; i < 50; i++) await sys.now();
          await sys.checkpoint({ counted: 50 });
        }
        await sys.receive();
        return "done";
      },
    },
  });
  const pid = await booted.kernel.spawn({ agent: "counter" });
  await until(
    async () => callsOf(await booted.kernel.journal(pid)).includes("checkpoint ok"),
    "it",
  );

  const { kernel } = await booted.again();

  await kernel.send(pid, "go on");
  expect((await kernel.wait(pid)).output).toBe("done");
  expect(lives).toEqual([null, { counted: 50 }]);
});

test("a checkpoint with other calls under way is refused", async () => {
  const { kernel } = await bootForTest({
    programs: {
      hasty: async (sys) => {
        const receiving = sys.receive();
        const code = await codeOf(sys.checkpoint(1));
        await receiving;
        return [code, await codeOf(sys.checkpoint(2))];
      },
    },
  });
  const pid = await kernel.spawn({ agent: "hasty" });

  await kernel.send(pid, "go on");

  expect((await kernel.wait(pid)).output).toEqual(["EINVAL", "ok"]);
});

test("handlers that a program declares when it starts again hold from the first signal on", async () => {
  const booted = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      listener: async (sys, _input, state) => {
        const heard: string[] = [...((state ?? []) as string[])];
        await sys.handle("SIGUSR2", (signal) => void heard.push(signal));
        await sys.handle("SIGTERM", (signal) => void heard.push(signal));
        if (state === undefined) await sys.checkpoint([]);
        await sys.receive();
        return heard;
      },
    },
  });
  const pid = await booted.kernel.spawn({ agent: "listener" });
  await until(
    async () => callsOf(await booted.kernel.journal(pid)).includes("checkpoint ok"),
    "it",
  );

  const { kernel } = await booted.again();

  await kernel.signal(pid, "SIGTERM");
  await until(async () => kindsOf(await kernel.journal(pid)).includes("signal"), "SIGTERM");
  await kernel.signal(pid, "SIGUSR2");
  await until(
    async () => kindsOf(await kernel.journal(pid)).filter((kind) => kind === "signal").length === 2,
    "SIGUSR2",
  );
  await kernel.send(pid, "end");
  expect((await kernel.wait(pid)).output).toEqual(["SIGTERM", "SIGUSR2"]);
});

test("streams do not outlive a checkpoint, whether the program was started again or not", async () => {
  const { kernel } = await bootForTest({
    programs: {
      streamer: async (sys) => {
        const fd = await sys.open("/mem/working/a", "append");
        await sys.write(fd, "x");
        await sys.checkpoint(null);
        return codeOf(sys.write(fd, "y"));
      },
    },
  });

  const pid = await kernel.spawn({ agent: "streamer", capabilities: ["memory:/mem/**:*"] });

  expect((await kernel.wait(pid)).output).toBe("EINVAL");
});

test("a signal that comes while a checkpoint is written does not move it", async () => {
  const booted = await bootForTest({
    programs: {
      busy: async (sys, _input, state) => {
        await sys.handle("SIGUSR2", () => {});
        for (let n = (state ?? 0) as number; n < 300; n++) await sys.checkpoint(n + 1);
        await sys.receive();
        return "done";
      },
    },
  });
  const pid = await booted.kernel.spawn({ agent: "busy" });
  for (let n = 0; n < 60; n++) await booted.kernel.signal(pid, "SIGUSR2");

  const { kernel } = await booted.crash();

  expect((await kernel.verify()).findings).toEqual([]);
  await kernel.send(pid, "end");
  expect((await kernel.wait(pid)).output).toBe("done");
});
