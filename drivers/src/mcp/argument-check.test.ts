import type { JsonObject } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { argumentCheckOf, checkOf } from "./argument-check.ts";

const object = (more: JsonObject): JsonObject => ({ type: "object", ...more });

test("arguments fit or do not", () => {
  const check = argumentCheckOf(
    object({ properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] }),
  );

  expect(check({ n: 1 })).toBeUndefined();
  expect(check({ n: 0 })).toBeDefined();
  expect(check({})).toBeDefined();
});

test("references within the schema count", () => {
  const check = argumentCheckOf(
    object({ $defs: { name: { type: "string" } }, properties: { a: { $ref: "#/$defs/name" } } }),
  );

  expect(check({ a: "x" })).toBeUndefined();
  expect(check({ a: 1 })).toBeDefined();
});

describe("ARGUMENT-CHECK-1, ARGUMENT-CHECK-3: a schema is refused that", () => {
  let deep: JsonObject = {};
  for (let level = 0; level < 80; level++) deep = { not: deep };
  test.each<[string, JsonObject]>([
    ["is for something else than an object", { type: "string" }],
    ["refers to what is outside it", object({ properties: { a: { $ref: "https://a.example/" } } })],
    ["is too deep", object(deep)],
    ["is too long", object({ description: "x".repeat(300_000) })],
    ["is of another dialect", object({ $schema: "https://a.example/dialect" })],
  ])("%s", (_what, schema) => {
    expect(argumentCheckOf(schema)({})).toContain("cannot be checked");
  });
});

test("ARGUMENT-CHECK-2: regular expressions of others are not run", () => {
  const evil = object({ properties: { a: { type: "string", pattern: "^(a+)+$" } } });
  const named = object({ patternProperties: { "^(a+)+$": {} }, additionalProperties: false });

  expect(argumentCheckOf(evil)({ a: `${"a".repeat(200)}b` })).toBeUndefined();
  expect(argumentCheckOf(named)({ [`${"a".repeat(200)}b`]: 1 })).toBeUndefined();
});

test("ARGUMENT-CHECK-2: a property may be called like a keyword, and an example like a pattern", () => {
  const check = argumentCheckOf(
    object({ properties: { pattern: { enum: [{ pattern: "x" }] } }, required: ["pattern"] }),
  );

  expect(check({ pattern: { pattern: "x" } })).toBeUndefined();
  expect(check({ pattern: "x" })).toBeDefined();
});

test("what tools return may be of any kind", () => {
  expect(checkOf({ type: "string" })("x")).toBeUndefined();
  expect(checkOf({ type: "string" })(1)).toBeDefined();
});
