import { expect, test } from "vitest";
import { flawsIn, misfits } from "./value-schema.ts";

const order = {
  type: "object",
  properties: {
    item: { type: "string", minLength: 2, pattern: "^[a-z]+$" },
    count: { type: "integer", minimum: 1 },
    tags: { type: "array", items: { enum: ["a", "b"] }, maxItems: 2 },
    note: { anyOf: [{ type: "string" }, { const: null }] },
  },
  required: ["item"],
  additionalProperties: false,
};

test("a schema without flaws is held against all of a value", () => {
  expect(flawsIn(order)).toEqual([]);
  expect(misfits({ item: "tea", count: 2, tags: ["a"], note: null }, order)).toEqual([]);
});

test.each([
  [{ item: "t" }, "/item"],
  [{ item: "Tea" }, "/item"],
  [{ item: "tea", count: 0 }, "/count"],
  [{ item: "tea", count: 1.5 }, "/count"],
  [{ item: "tea", tags: ["c"] }, "/tags/0"],
  [{ item: "tea", tags: ["a", "a", "b"] }, "/tags"],
  [{ item: "tea", note: 3 }, "/note"],
  [{ item: "tea", more: 1 }, "more"],
  [{}, "/item"],
  ["tea", "expected object"],
])("%j does not fit", (value, told) => {
  expect(misfits(value as never, order).join("; ")).toContain(told);
});

test.each([
  [{ type: "string", format: "email" }, "format is a constraint that is not checked"],
  [{ if: { type: "string" } }, "if is a constraint that is not checked"],
  [{ type: "array", uniqueItems: true }, "uniqueItems is a constraint that is not checked"],
  [{ minLength: 3 }, "minLength says nothing without type: string"],
  [{ type: "string", minimum: 3 }, "minimum says nothing without type: number or integer"],
  [{ type: ["string", "null"] }, "use anyOf for several"],
  [{ type: "text" }, "a type is one of"],
  [{ enum: [{ a: 1 }] }, "enum is a list of"],
  [{ const: [1] }, "use equals for the rest"],
  [{ properties: {} }, "properties says nothing without type: object"],
  [{ type: "object", properties: { a: { frob: 1 } } }, "frob is a constraint that is not checked"],
  [{ type: "array", items: { frob: 1 } }, "frob is a constraint that is not checked"],
  [{ anyOf: [{ frob: 1 }] }, "frob is a constraint that is not checked"],
  ["string", "a JSON Schema is an object"],
])("%j is refused: nothing of a schema is passed over", (schema, told) => {
  expect(flawsIn(schema as never).map(({ message }) => message)).toEqual([
    expect.stringContaining(told),
  ]);
});

test("a flaw says where in the schema it is", () => {
  const [flaw] = flawsIn({ type: "object", properties: { a: { type: "string", frob: 1 } } });

  expect(flaw?.at).toEqual(["properties", "a", "frob"]);
});
