import { syscalls, type Json } from "@aos/protocol";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isPlainExec } from "./checked-arguments.ts";

/** What the schema makes of it; undefined where it refuses. */
function read(given: Json): unknown {
  const parsed = syscalls.exec.args.safeParse(given);
  return parsed.success ? parsed.data : undefined;
}

const name = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.constantFrom("a".repeat(199), "a".repeat(200), "a".repeat(201), "é".repeat(200)),
  fc.jsonValue(),
);

const member = fc.constantFrom("tool", "args", "key", "by", "__proto__", "$refused", "toString");

const given = fc.oneof(
  fc.jsonValue(),
  fc.record({ tool: name, args: fc.jsonValue() }, { requiredKeys: [] }),
  fc.dictionary(member, fc.oneof(name, fc.jsonValue())),
);

test("PLAIN-EXEC-1: what is plain the schema accepts, and gives back as it is", () => {
  fc.assert(
    fc.property(given, (value) => {
      const args = JSON.parse(JSON.stringify(value)) as Json;

      if (!isPlainExec(args)) return;

      expect(read(args)).toEqual(args);
    }),
    { numRuns: 2000 },
  );
});

test("PLAIN-EXEC-1: a name and arguments alone are plain, whatever the arguments", () => {
  for (const args of [null, {}, [], 0, "", false, { $refused: "no" }])
    expect(isPlainExec({ tool: "a", args })).toBe(true);
  expect(isPlainExec({ tool: "a".repeat(200), args: {} })).toBe(true);
});

test("PLAIN-EXEC-1: whatever else there is, or is not, the schema is asked", () => {
  const others: Json[] = [
    null,
    "exec",
    [],
    {},
    { tool: "a" },
    { tool: "a", key: "k" },
    { args: {} },
    { tool: "", args: {} },
    { tool: 1, args: {} },
    { tool: "a".repeat(201), args: {} },
    { tool: "a", args: {}, key: "k" },
    { tool: "a", args: {}, by: "cap_x" },
    { tool: "a", args: {}, other: 1 },
    JSON.parse('{"tool":"a","args":{},"__proto__":{}}') as Json,
    { tool: "a", args: {}, $refused: "too large" },
  ];

  for (const one of others) expect(isPlainExec(one), JSON.stringify(one)).toBe(false);
});
