import { expect, test } from "vitest";
import { readLane } from "./read-lane.ts";
import { readTtl } from "./read-ttl.ts";

test("a time to live is read limit by limit", () => {
  expect(readTtl("hops=3,wall=10m")).toEqual({ hops: 3, wallMs: 600_000 });
  expect(readTtl("hops=0")).toEqual({ hops: 0 });
});

test.each(["", "hops", "hops=-1", "wall=soon", "depth=3", "constructor=1"])(
  "%j is refused, with how to write it",
  (text) => {
    expect(() => readTtl(text)).toThrow(
      expect.objectContaining({ code: "EINVAL", hint: "write it like hops=3,wall=10m" }),
    );
  },
);

test("a lane goes by its name", () => {
  expect(readLane("high")).toBe("high");
  expect(() => readLane("urgent")).toThrow(
    expect.objectContaining({
      code: "EINVAL",
      hint: "the lanes are critical, high, normal, low, background",
    }),
  );
});
