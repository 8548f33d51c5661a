import type { Json } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { readAnswer, refuseUncheckable } from "./output-schema.ts";

const read = (value: Json, schema: Json) => {
  refuseUncheckable(schema);
  const answer = readAnswer(JSON.stringify(value), schema);
  return answer.fits ? [] : answer.problems;
};

describe("a value that does not fit is told where and why", () => {
  test.each<[Json, Json, string]>([
    [1.5, { type: "integer" }, "the value must be integer"],
    [null, { type: ["string", "number"] }, "the value must be string or number"],
    [[], { type: "object" }, "the value must be object"],
    ["c", { enum: ["a", "b"] }, 'the value must be one of ["a","b"]'],
    [{ b: 1, a: 3 }, { const: { a: 2, b: 1 } }, 'the value must be {"a":2,"b":1}'],
    [{}, { required: ["a/b"] }, "/a~1b is missing"],
    [{ a: [1, "x"] }, { properties: { a: { items: { type: "number" } } } }, "/a/1 must be number"],
    [{ a: 1 }, { additionalProperties: false }, "/a is not allowed"],
    [
      { a: 1, b: 2 },
      { properties: { a: {} }, additionalProperties: { type: "string" } },
      "/b must be string",
    ],
    [{}, { required: ["toString"] }, "/toString is missing"],
    [
      { constructor: 1 },
      { properties: {}, additionalProperties: false },
      "/constructor is not allowed",
    ],
  ])("%j against %j", (value, schema, problem) => {
    expect(read(value, schema)).toEqual([problem]);
  });
});

test.each<[Json, Json]>([
  [1, { type: "integer", title: "t", description: "d", default: 2, examples: [] }],
  [{ b: 1, a: 2 }, { enum: [{ a: 2, b: 1 }] }],
  [null, { type: "null", const: null }],
  [
    { a: 1, b: [] },
    { type: "object", required: ["a"], properties: { a: { type: "number" } } },
  ],
  ["anything", {}],
])("%j fits %j", (value, schema) => {
  expect(read(value, schema)).toEqual([]);
});

describe("a schema that says what is not checked is refused, with its place", () => {
  test.each<[Json, string]>([
    [{ minimum: 1 }, "output.schema.minimum"],
    [
      { properties: { age: { type: "integer", maximum: 9 } } },
      "output.schema.properties.age.maximum",
    ],
    [{ items: { anyOf: [] } }, "output.schema.items.anyOf"],
    [{ additionalProperties: { format: "uri" } }, "output.schema.additionalProperties.format"],
    [{ $ref: "#" }, "output.schema.$ref"],
    [{ constructor: 1 }, "output.schema.constructor"],
    [{ type: "text" }, "output.schema.type"],
    [{ type: [] }, "output.schema.type"],
    [{ required: "a" }, "output.schema.required"],
    [{ enum: {} }, "output.schema.enum"],
    [{ items: [{}] }, "output.schema.items must be an object"],
    [{ properties: { a: true } }, "output.schema.properties.a must be an object"],
    [true, "output.schema must be an object"],
  ])("%j", (schema, place) => {
    expect(() => refuseUncheckable(schema)).toThrow(
      expect.objectContaining({ code: "EINVAL", message: expect.stringContaining(place) }),
    );
  });
});

test("only a fence around the whole answer is taken off", () => {
  const fits = (text: string) => readAnswer(text, { type: "object" }).fits;

  expect(fits('```json\n{"a": "```"}\n```\n')).toBe(true);
  expect(fits("```\n{}\n```")).toBe(true);
  expect(fits("Here it is: ```json\n{}\n```")).toBe(false);
});
