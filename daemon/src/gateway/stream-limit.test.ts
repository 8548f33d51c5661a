import { expect, test } from "vitest";
import { StreamLimit } from "./stream-limit.ts";

const anna = { id: "tok_a", transport: "network" } as const;
const bob = { id: "tok_b", transport: "network" } as const;

test("STREAM-LIMIT-1: a caller has so many streams, and others theirs", () => {
  const limit = new StreamLimit(2);
  limit.take(anna);
  limit.take(anna);

  expect(() => limit.take(anna)).toThrow(/2 open event streams/);
  expect(() => limit.take(bob)).not.toThrow();
});

test("STREAM-LIMIT-1: one that is closed makes room for one, however often it is closed", () => {
  const limit = new StreamLimit(1);
  const release = limit.take(anna);
  release();
  release();
  limit.take(anna);

  expect(() => limit.take(anna)).toThrow(/event streams/);
});
