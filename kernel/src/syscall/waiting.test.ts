import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MAX_TIMER_MS, type Platform } from "../platform/clock.ts";
import type { SyscallResult } from "./syscall-handler.ts";
import { callOf, TEST_NOW } from "../../../tests/helpers/kernel/process.ts";
import { waitFor, type Wait } from "./waiting.ts";

beforeEach(() => vi.useFakeTimers({ now: TEST_NOW }));
afterEach(() => vi.useRealTimers());

/** Waits, and shows all that happens. */
function waiting(more: Partial<Wait> = {}) {
  const call = callOf("receive");
  const seen: string[] = [];
  let answer!: (answered: SyscallResult | Error) => void;
  let leave!: () => void;
  const wait: Wait = {
    kind: "message",
    until: undefined,
    mayLeave: true,
    begin: (onAnswer, onLeave) => {
      [answer, leave] = [onAnswer, onLeave];
      seen.push("begins");
      return () => void seen.push("stops");
    },
    ...more,
  };
  const platform = { now: () => Date.now() } as Platform;
  const waited = waitFor(call, wait, platform, () => seen.push("waits")).then(
    ({ value }) => void seen.push(`answered ${JSON.stringify(value)}`),
    (error: Error & { code?: string }) => void seen.push(`failed ${error.code ?? error.message}`),
  );
  return {
    call,
    seen,
    waited,
    answer: (one: SyscallResult | Error) => answer(one),
    leave: () => leave(),
  };
}

const OVER = { waitsOn: null, dormant: false, until: undefined, onCancel: undefined };

test("while it waits, the call says on what and until when; then it says nothing", async () => {
  const until = TEST_NOW + 100;
  const { call, seen, waited, answer } = waiting({ until });

  expect(call).toMatchObject({ waitsOn: "message", dormant: true, until });
  expect(seen).toEqual(["begins", "waits"]);
  answer({ value: 1 });
  expect(call).toMatchObject(OVER);
  await waited;
  expect(seen).toEqual(["begins", "waits", "answered 1"]);
});

test("what is answered with an error fails with it", async () => {
  const { seen, waited, answer } = waiting();

  answer(new Error("broken"));
  await waited;

  expect(seen.at(-1)).toBe("failed broken");
});

test("what is answered at once never waits", async () => {
  const { call, seen, waited } = waiting({
    until: TEST_NOW + 100,
    begin: (answer) => {
      answer({ value: 2 });
      return () => {};
    },
  });
  await waited;

  expect(seen).toEqual(["answered 2"]);
  expect(call).toMatchObject(OVER);
  expect(vi.getTimerCount()).toBe(0);
});

test("a second answer changes nothing of what the call does by then", async () => {
  const { call, seen, waited, answer, leave } = waiting();
  answer({ value: 1 });
  await waited;
  call.waitsOn = "tool";
  const before = seen.length;

  answer({ value: 2 });
  leave();

  expect(call).toMatchObject({ waitsOn: "tool", dormant: false });
  expect(seen.length).toBe(before);
});

test("when its time is over it stops, and is ETIMEDOUT", async () => {
  const { call, seen, waited } = waiting({ until: TEST_NOW + 2 });

  vi.advanceTimersByTime(1);
  await Promise.resolve();
  expect(seen).toEqual(["begins", "waits"]);
  vi.advanceTimersByTime(1);
  await waited;

  expect(seen).toEqual(["begins", "waits", "stops", "failed ETIMEDOUT"]);
  expect(call).toMatchObject(OVER);
});

test.each([
  ["over already", TEST_NOW - 1],
  ["over now", TEST_NOW],
])("a time that is %s is over at once", async (_what, until) => {
  const { seen, waited } = waiting({ until });
  expect(vi.getTimerCount()).toBe(0);
  await waited;

  expect(seen).toEqual(["begins", "stops", "failed ETIMEDOUT"]);
});

test("one millisecond is still to wait", () => {
  expect(waiting({ until: TEST_NOW + 1 }).seen).toEqual(["begins", "waits"]);
});

test("a time beyond the longest timer is waited for in parts", async () => {
  const { seen, waited } = waiting({ until: TEST_NOW + MAX_TIMER_MS + 5 });

  vi.advanceTimersByTime(MAX_TIMER_MS);
  expect(seen).toEqual(["begins", "waits"]);
  vi.advanceTimersByTime(5);
  await waited;

  expect(seen.at(-1)).toBe("failed ETIMEDOUT");
});

test("an answer ends the timer", () => {
  const { answer } = waiting({ until: TEST_NOW + 100 });

  answer({ value: 1 });

  expect(vi.getTimerCount()).toBe(0);
});

test("what the store does not know of yet keeps the process here until it does", () => {
  const { call, seen, leave } = waiting({ mayLeave: false });

  expect(call.dormant).toBe(false);
  leave();
  expect(call.dormant).toBe(true);
  expect(seen).toEqual(["begins", "waits", "waits"]);
});

test("who cancels it stops it, and what was reserved for it is given back", async () => {
  const { call, seen, waited, answer } = waiting({ until: TEST_NOW + 100 });

  call.onCancel!();

  expect(call).toMatchObject(OVER);
  expect(vi.getTimerCount()).toBe(0);
  answer({ value: 1 });
  await waited;
  expect(seen).toEqual(["begins", "waits", "stops", "failed EINTR"]);
});
