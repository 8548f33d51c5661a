import type { Json } from "@aos/protocol";
import { expect, test } from "vitest";
import { endorse, schemaMismatch, openness } from "./endorsement.ts";

const spam = {
  type: "object",
  properties: {
    spam: { type: "boolean" },
    kind: { type: "string", enum: ["bill", "other"] },
    due: { type: "string", format: "date" },
    amounts: { type: "array", maxItems: 3, items: { type: "number", minimum: 0, maximum: 9 } },
  },
  required: ["spam"],
  additionalProperties: false,
};

test("a schema without words is strict enough", () => {
  expect(openness(spam)).toBeUndefined();
  for (const type of ["boolean", "integer", "number", "null"])
    expect(openness({ type })).toBeUndefined();
});

test.each([
  ["no type", {}],
  ["a type that is none", { type: "anything" }],
  ["several types", { type: ["string", "null"] }],
  ["a name of every object", { type: "constructor" }],
  ["free text", { type: "string" }],
  ["text of some length", { type: "string", maxLength: 3 }],
  ["a pattern", { type: "string", pattern: ".*" }],
  ["a format that carries words", { type: "string", format: "email" }],
  ["choices that are texts of their own", { type: "string", enum: ["x".repeat(101)] }],
  ["too many choices", { type: "string", enum: Array.from({ length: 101 }, (_, i) => `${i}`) }],
  ["choices that are no texts", { type: "string", enum: [{ any: "thing" }] }],
  ["properties that are not named", { type: "object", additionalProperties: false }],
  ["more properties", { type: "object", properties: {} }],
  ["an open property", { ...spam, properties: { ...spam.properties, note: { type: "string" } } }],
  ["a list without an end", { type: "array", items: { type: "boolean" } }],
  ["a long list", { type: "array", maxItems: 101, items: { type: "boolean" } }],
  ["a list of anything", { type: "array", maxItems: 3 }],
  ["a word that is not understood", { type: "boolean", $ref: "#/x" }],
  ["no schema", "boolean"],
  ["nothing", null],
])("%s is open", (_what, schema) => {
  expect(openness(schema)).toBeTypeOf("string");
});

test.each([
  ["lists", (items: Json): Json => ({ type: "array", maxItems: 1, items })],
  [
    "objects",
    (part: Json): Json => ({ type: "object", properties: { part }, additionalProperties: false }),
  ],
])("%s may be nested six deep, and no deeper", (_what, around) => {
  let schema: Json = { type: "boolean" };
  for (let i = 0; i < 6; i++) schema = around(schema);

  expect(openness(schema)).toBeUndefined();
  expect(openness(around(schema))).toContain("deeply");
});

test("a hundred choices of a hundred characters, and a hundred items, are not too many", () => {
  const choices = Array.from({ length: 100 }, (_, i) => `${i}`.padEnd(100, "x"));

  expect(openness({ type: "string", enum: choices })).toBeUndefined();
  expect(openness({ type: "array", maxItems: 100, items: { type: "boolean" } })).toBeUndefined();
});

test("a value that fits a strict schema passes", () => {
  expect(schemaMismatch(spam, { spam: true })).toBeUndefined();
  expect(
    schemaMismatch(spam, { spam: false, kind: "bill", due: "2026-11-15", amounts: [0, 5, 9] }),
  ).toBeUndefined();
  expect(schemaMismatch({ type: "null" }, null)).toBeUndefined();
  expect(schemaMismatch({ type: "string", const: "yes" }, "yes")).toBeUndefined();
  expect(schemaMismatch({ type: "string", format: "time" }, "12:30")).toBeUndefined();
  const moment = "2026-11-15T01:02:03Z";
  expect(schemaMismatch({ type: "string", format: "date-time" }, moment)).toBeUndefined();
});

test.each<[string, object]>([
  ["no value for what is required", {}],
  ["another type", { spam: "yes" }],
  ["none of the choices", { spam: true, kind: "send it all" }],
  ["words in place of a date", { spam: true, due: "tomorrow, and send it all" }],
  ["a date with words after it", { spam: true, due: "2026-11-15 send it all" }],
  ["a number that is too small", { spam: true, amounts: [-1] }],
  ["a number that is too large", { spam: true, amounts: [10] }],
  ["too many of them", { spam: true, amounts: [1, 2, 3, 4] }],
  ["one that does not fit among them", { spam: true, amounts: [1, "x"] }],
  ["a list for an object", []],
  ["more than the schema has", { spam: true, note: "send it all" }],
  ["a hidden member", JSON.parse('{"spam":true,"__proto__":"send it all"}') as object],
])("%s does not fit", (_what, value) => {
  expect(schemaMismatch(spam, value as never)).toBeTypeOf("string");
});

test("a constant is a choice of one", () => {
  const schema = { type: "string", const: "yes" };

  expect(openness(schema)).toBeUndefined();
  expect(schemaMismatch(schema, "send it all")).toBeTypeOf("string");
});

test("lists have a least length where it is said", () => {
  const schema = { type: "array", minItems: 1, maxItems: 2, items: { type: "integer" } };

  expect(schemaMismatch(schema, [])).toBeTypeOf("string");
  expect(schemaMismatch(schema, [1.5])).toBeTypeOf("string");
  expect(schemaMismatch(schema, [1])).toBeUndefined();
});

test("ENDORSEMENT-3: untrusted becomes mixed; nothing becomes trusted, or less secret", () => {
  const tags = ["crm"];
  expect(endorse({ integrity: "untrusted", secrecy: "secret", tags })).toEqual({
    integrity: "mixed",
    secrecy: "secret",
    tags,
  });
  expect(endorse({ integrity: "mixed", secrecy: "public" }).integrity).toBe("mixed");
  expect(endorse({ integrity: "trusted", secrecy: "public" }).integrity).toBe("trusted");
});
