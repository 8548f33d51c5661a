import { expect, test } from "vitest";
import { SteadyClock } from "./clock.ts";

const HOUR = 3_600_000;
const START = 1_800_000_000_000;

/** Clocks that go on together unless told otherwise. */
function clocks() {
  const at = { wall: START, monotonic: 500, uptime: 9_000_000 };
  const clock = new SteadyClock({
    wall: () => at.wall,
    monotonic: () => at.monotonic,
    uptime: () => at.uptime,
  });
  const pass = (ms: number, stepMs = 500) => {
    for (let left = ms; left > 0; left -= stepMs) {
      const step = Math.min(stepMs, left);
      at.wall += step;
      at.monotonic += step;
      at.uptime += step;
      clock.now();
    }
  };
  return { at, clock, pass };
}

test.each([-2 * HOUR, 2 * HOUR, -5000, 90_000])(
  "STEADY-CLOCK-1, STEADY-CLOCK-2: a clock that is set by %d ms changes nothing of how time passes",
  (stepMs) => {
    const { at, clock, pass } = clocks();
    pass(3000);

    at.wall += stepMs;
    pass(60_000);

    expect(clock.now()).toBe(START + 63_000);
    expect(clock.skewMs).toBe(-stepMs);
  },
);

test("STEADY-CLOCK-1: it never goes back, however often the clock is set, and its times are whole numbers", () => {
  const { at, clock, pass } = clocks();
  let last = 0;
  for (const step of [-100, 900, -900, -HOUR, 300, 2 * HOUR, -50.5, -900, -900]) {
    at.wall += step;
    pass(1500, 250);
    const now = clock.now();
    expect(now).toBeGreaterThanOrEqual(last);
    expect(Number.isInteger(now)).toBe(true);
    last = now;
  }
});

test("STEADY-CLOCK-2: it follows a clock that is corrected little by little, also when nobody asks for days", () => {
  const { at, clock, pass } = clocks();
  for (let second = 0; second < 600; second++) {
    at.wall += 20; // 2 % fast, as a clock that is being slewed
    pass(1000);
  }
  expect(clock.now()).toBe(START + 612_000);

  at.wall += 30_000; // drifted in three days
  pass(72 * HOUR, 72 * HOUR);
  pass(2000);

  expect(clock.now()).toBe(START + 612_000 + 30_000 + 72 * HOUR + 2000);
  expect(clock.skewMs).toBe(0);
});

test("STEADY-CLOCK-3: time in which the machine slept has passed", () => {
  const { at, clock, pass } = clocks();
  pass(2000);

  at.wall += HOUR;
  at.uptime += HOUR;
  pass(2000);

  expect(clock.now()).toBe(START + HOUR + 4000);
  expect(clock.skewMs).toBe(0);
});

test("STEADY-CLOCK-4: after a start it is not behind what was written, unless that is absurd", () => {
  const { clock, pass } = clocks();
  clock.notBefore(START + 400 * 24 * HOUR);
  expect(clock.now()).toBe(START);
  clock.notBefore(START - HOUR);
  expect(clock.now()).toBe(START);

  clock.notBefore(START + 2 * HOUR);
  pass(5000);

  expect(clock.now()).toBe(START + 2 * HOUR + 5000);
});
