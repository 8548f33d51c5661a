import { toMicroUsd } from "@aos/protocol";
import { expect, test } from "vitest";
import { VelocityLimit } from "./velocity-limit.ts";

const T = Date.parse("2027-01-31T12:30:00Z");
const usd = (usd: number) => ({ microUsd: toMicroUsd(usd), tokens: 0, toolCalls: 0 });
const purpose = (nowMs: number) => ({ nowMs, what: "model:far/x" });

const brakeOf = () => new VelocityLimit("tenant acme", { usd: 1, withinMs: 60_000 });

test("VELOCITY-LIMIT-1: what is reserved counts, and what was settled within the time", () => {
  const velocityLimit = brakeOf();
  velocityLimit.hold(600_000);

  expect(() => velocityLimit.mustCover(usd(0.5), purpose(T))).toThrow();
  velocityLimit.settle(600_000, 500_000, T);
  velocityLimit.mustCover(usd(0.5), purpose(T));
  expect(() => velocityLimit.mustCover(usd(0.6), purpose(T + 59_999))).toThrow();
});

test("VELOCITY-LIMIT-2: it is forgotten when the time is over, a slot later at most", () => {
  const velocityLimit = brakeOf();
  velocityLimit.note(1_000_000, T);

  expect(() => velocityLimit.mustCover(usd(0.1), purpose(T + 60_000 - 1))).toThrow();
  velocityLimit.mustCover(usd(1), purpose(T + 60_000 + 60_000 / 256 + 1));
});

test("who is refused is told when enough is forgotten", () => {
  const velocityLimit = brakeOf();
  velocityLimit.note(500_000, T);
  velocityLimit.note(500_000, T + 30_000);

  const refusal = (worst: number, nowMs: number) => {
    try {
      velocityLimit.mustCover(usd(worst), purpose(nowMs));
    } catch (error) {
      return error as { code: string; retryAfter: number; message: string };
    }
    throw new Error("it was not refused");
  };

  const { code, retryAfter, message } = refusal(0.5, T + 30_000);
  expect([code, message]).toEqual([
    "EVELOCITY",
    "this call could cost 0.5 usd, but tenant acme may spend only 0 more of 1 usd within 60 s",
  ]);
  expect(refusal(2, T + 30_000).retryAfter).toBe(60_000);
  expect(() => velocityLimit.mustCover(usd(0.5), purpose(T + 30_000 + retryAfter - 1))).toThrow();
  velocityLimit.mustCover(usd(0.5), purpose(T + 30_000 + retryAfter));
});

test("what costs no money passes", () => {
  const velocityLimit = brakeOf();
  velocityLimit.note(5_000_000, T);

  velocityLimit.mustCover({ microUsd: 0, tokens: 100, toolCalls: 1 }, purpose(T));
});

test("what it remembers has an end", () => {
  const velocityLimit = new VelocityLimit("total", { usd: 1e9, withinMs: 256_000 });
  for (let i = 0; i < 10_000; i++) velocityLimit.note(1_000_000, T + i);

  expect(() => velocityLimit.mustCover(usd(1e9 - 9999), purpose(T + 10_000))).toThrow();
  velocityLimit.mustCover(usd(1e9 - 10_000), purpose(T + 10_000));
});
