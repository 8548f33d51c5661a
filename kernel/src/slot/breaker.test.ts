import { expect, test } from "vitest";
import { Breaker } from "./breaker.ts";

const RULE = { failures: 3, coolMs: 1000 };

/** One that has just opened, at 0. */
function opened(): Breaker {
  const breaker = new Breaker();
  for (let time = 0; time < 3; time++) breaker.failed(false, RULE, 0);
  return breaker;
}

test("so many failures in a row open it, until it has cooled", () => {
  const breaker = new Breaker();

  expect([1, 2, 3].map(() => breaker.failed(false, RULE, 0))).toEqual([false, false, true]);

  expect(breaker.state(999)).toBe("open");
  expect(breaker.mayPass(999)).toBe(false);
  expect(breaker.coolsInMs(400)).toBe(600);
  expect(breaker.state(1000)).toBe("half-open");
  expect(breaker.mayPass(1000)).toBe(true);
});

test("an answer ends the row", () => {
  const breaker = new Breaker();
  breaker.failed(false, RULE, 0);
  breaker.failed(false, RULE, 0);

  breaker.answered(false);

  expect(breaker.failed(false, RULE, 0)).toBe(false);
  expect(breaker.state(0)).toBe("closed");
});

test("BREAKER-1: one passes a half-open breaker, and its answer closes it", () => {
  const breaker = opened();

  expect(breaker.pass()).toBe(true);
  expect(breaker.mayPass(1000)).toBe(false);
  breaker.answered(true);

  expect(breaker.state(1000)).toBe("closed");
  expect(breaker.pass()).toBe(false);
  expect(breaker.mayPass(1000)).toBe(true);
  expect(breaker.failed(false, RULE, 1000)).toBe(false); // the row began anew
});

test("BREAKER-1: its failure opens it for as long again", () => {
  const breaker = opened();
  breaker.pass();

  expect(breaker.failed(true, RULE, 1500)).toBe(true);

  expect(breaker.coolsInMs(1500)).toBe(1000);
  expect(breaker.mayPass(2500)).toBe(true);
});

test("BREAKER-1: if it is called off, another one may pass; calling off others changes nothing", () => {
  const breaker = opened();
  breaker.pass();

  breaker.calledOff(false);
  expect(breaker.mayPass(1000)).toBe(false);
  breaker.calledOff(true);
  expect(breaker.mayPass(1000)).toBe(true);
});

test("BREAKER-2: those that were under way when it opened do not count", () => {
  const breaker = opened();

  breaker.answered(false);
  expect(breaker.state(0)).toBe("open");
  expect(breaker.failed(false, RULE, 900)).toBe(false);
  expect(breaker.state(1000)).toBe("half-open");
});

test("a clock that steps back makes it cool no longer than it was to", () => {
  const breaker = new Breaker();
  for (let time = 0; time < 3; time++) breaker.failed(false, RULE, 3_600_000);

  expect(breaker.coolsInMs(0)).toBe(1000);
});
