import { expect, test } from "vitest";
import { ToolHealth } from "./devices.ts";

test("a tool that was never called has no times and no failure", () => {
  expect(new ToolHealth().of("echo")).toEqual({
    calls: 0,
    failures: 0,
    p50Ms: null,
    p95Ms: null,
    lastFailure: null,
  });
});

test("calls and failures are counted by tool, and the last failure is kept", () => {
  const health = new ToolHealth();
  health.note("echo", 1);
  health.note("echo", 2, { at: 10, message: "first" });
  health.note("echo", 3, { at: 20, message: "second" });
  health.note("other", 9);

  expect(health.of("echo")).toMatchObject({
    calls: 3,
    failures: 2,
    lastFailure: { at: 20, message: "second" },
  });
  expect(health.of("other")).toMatchObject({ calls: 1, failures: 0, lastFailure: null });
});

test("half of the calls take at most p50, nineteen of twenty at most p95", () => {
  const health = new ToolHealth();
  for (let ms = 100; ms >= 1; ms--) health.note("echo", ms);

  expect(health.of("echo")).toMatchObject({ p50Ms: 50, p95Ms: 95 });
});

test("of a single call both are its time", () => {
  const health = new ToolHealth();
  health.note("echo", 7);

  expect(health.of("echo")).toMatchObject({ p50Ms: 7, p95Ms: 7 });
});

test("only the last 256 times count, all calls are counted", () => {
  const health = new ToolHealth();
  for (let i = 0; i < 1000; i++) health.note("echo", 500);
  for (let i = 0; i < 256; i++) health.note("echo", 1);

  expect(health.of("echo")).toMatchObject({ calls: 1256, p50Ms: 1, p95Ms: 1 });
});
