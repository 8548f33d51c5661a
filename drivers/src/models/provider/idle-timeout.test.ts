import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startIdleTimeout } from "./idle-timeout.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const controller = new AbortController();
  return {
    ...startIdleTimeout(controller, "p/m", { firstMs: 1000, idleMs: 100 }),
    signal: controller.signal,
  };
}

test("who says nothing at all is waited for as long as for a first word", () => {
  const { signal } = watched();

  vi.advanceTimersByTime(999);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);

  expect(signal.reason).toMatchObject({ code: "EUPSTREAM", detail: { transient: true } });
});

test("who goes on speaking is never late", () => {
  const { signal, heard } = watched();

  for (let word = 0; word < 50; word += 1) {
    heard();
    vi.advanceTimersByTime(99);
  }

  expect(signal.aborted).toBe(false);
});

test("who falls silent is waited for as long as for a next word", () => {
  const { signal, heard } = watched();
  heard();
  heard();

  vi.advanceTimersByTime(99);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);

  expect(String(signal.reason)).toContain("0.1 seconds");
});

test("what is over is not watched", () => {
  const { signal, heard, over } = watched();
  heard();
  over();

  vi.advanceTimersByTime(10_000);

  expect(signal.aborted).toBe(false);
});
