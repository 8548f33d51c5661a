// The machine's clock is set while processes wait (platform/clock.ts STEADY-CLOCK-1, STEADY-CLOCK-2, STEADY-CLOCK-4).

import { expect, test } from "vitest";
import { newPlatform, type Platform, SteadyClock } from "@aos/kernel/parts";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";

const TWO_HOURS = 7_200_000;

/** A platform whose machine's clock can be set. */
function settable(): { readonly platform: Platform; set: (byMs: number) => void } {
  let setBy = 0;
  const wall = () => Date.now() + setBy;
  const monotonic = () => performance.now();
  const clock = new SteadyClock({ wall, monotonic, uptime: monotonic });
  return {
    platform: {
      ...newPlatform(),
      wall,
      now: () => clock.now(),
      notBefore: (ms) => clock.notBefore(ms),
    },
    set: (byMs) => {
      setBy += byMs;
    },
  };
}

const programs = {
  sleeper: async (sys, input) => {
    const before = await sys.now();
    await sys.sleep(before + (input as number));
    return (await sys.now()) - before;
  },
  waiter: async (sys) => codeOf(sys.receive({ until: (await sys.now()) + 1500 })),
  asker: async (sys) => codeOf(sys.ask("?", { until: (await sys.now()) + 1500 })),
  day: async (sys) => {
    const at = (await sys.now({ clock: "wall" })) + TWO_HOURS;
    await sys.sleep(at, { clock: "wall" });
    return "woken";
  },
} satisfies Parameters<typeof bootForTest>[0] extends infer Options
  ? NonNullable<Options extends { programs?: infer Programs } ? Programs : never>
  : never;

test.each([
  [-TWO_HOURS, 0],
  [-TWO_HOURS, 3_600_000],
  [TWO_HOURS, 0],
  [TWO_HOURS, 3_600_000],
])(
  "what waits for a time is not moved by %d ms (unloaded after %d ms)",
  async (byMs, unloadAfterMs) => {
    const { platform, set } = settable();
    const { kernel } = await bootForTest({ platform, unloadAfterMs, programs });
    const pids = [
      await kernel.spawn({ agent: "sleeper", input: 1500 }),
      await kernel.spawn({ agent: "waiter" }),
      await kernel.spawn({ agent: "asker" }),
    ];
    const long = await kernel.spawn({ agent: "sleeper", input: TWO_HOURS / 2 });
    await until(async () => (await kernel.status()).states.waiting === 4, "everybody to wait");

    set(byMs);

    const [slept, waited, asked] = await Promise.all(pids.map((pid) => kernel.wait(pid)));
    expect(slept?.output).toBeGreaterThanOrEqual(1500);
    expect(slept?.output).toBeLessThan(600_000);
    expect([waited?.output, asked?.output]).toEqual(["ETIMEDOUT", "ETIMEDOUT"]);
    expect((await kernel.show(long)).state).toBe("waiting");
  },
);

test("one that sleeps through a restart at which the clock is two hours behind wakes on time", async () => {
  const { platform, set } = settable();
  const first = await bootForTest({ platform, unloadAfterMs: 0, programs });
  const pid = await first.kernel.spawn({ agent: "sleeper", input: 3000 });
  await until(async () => (await first.kernel.status()).states.waiting === 1, "the sleep");
  const second = settable();
  set(-TWO_HOURS);
  second.set(-TWO_HOURS);

  const { kernel } = await first.again({ platform: second.platform });

  expect((await kernel.wait(pid)).output).toBeLessThan(600_000);
});

test("a time of day is read again: who sleeps until then wakes when the clock says so", async () => {
  const { platform, set } = settable();
  const { kernel } = await bootForTest({ platform, unloadAfterMs: 0, programs });
  const early = await kernel.spawn({ agent: "day" });
  await until(async () => (await kernel.status()).states.waiting === 1, "the sleep");

  set(TWO_HOURS + 1000);
  // Whatever wakes it makes it look; by itself it looks every minute.
  await kernel.signal(early, "SIGSTOP");
  await kernel.signal(early, "SIGCONT");

  expect((await kernel.wait(early)).output).toBe("woken");
});
