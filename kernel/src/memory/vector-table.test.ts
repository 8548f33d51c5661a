import { readFileSync } from "node:fs";
import { array, assert, double, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { moduleFile } from "../../../scripts/vector-scan.ts";
import { productOf, quantize, VectorTable } from "./vector-table.ts";

test("the module is what its source gives", () => {
  const written = readFileSync(new URL("./vector-scan-module.ts", import.meta.url), "utf8");

  expect(written.match(/"[^"]+"/)?.[0]).toBe(moduleFile().match(/"[^"]+"/)?.[0]);
});

test("VECTOR-1: WebAssembly gives the numbers of plain JavaScript, for any length and number of vectors", () => {
  const number = double({ min: -1, max: 1, noNaN: true });
  const vectors = integer({ min: 1, max: 70 }).chain((dims) =>
    array(array(number, { minLength: dims, maxLength: dims }), {
      minLength: 2,
      maxLength: 20,
    }),
  );
  assert(
    property(vectors, ([query, ...others]) => {
      const asked = quantize(query!);
      const table = new VectorTable(query!.length);
      const quantized = others.map((vector) => quantize(vector));
      for (const vector of quantized) table.add(vector);

      expect([...table.similarities(asked)]).toEqual(quantized.map((one) => productOf(asked, one)));
    }),
  );
});

test("more vectors than one pass, and than the first memory, are all compared", () => {
  const table = new VectorTable(16);
  const near = quantize([1, 2, 3]);
  for (let at = 0; at < 9000; at++) table.add(quantize([at % 2, 1]));
  const slot = table.add(near);

  const found = table.similarities(near);

  expect(found).toHaveLength(9001);
  expect(found[slot]).toBeCloseTo(1, 2);
});

test("VECTOR-2: a vector is as near to itself at any scale", () => {
  const vector = Array.from({ length: 512 }, (_, at) => Math.sin(at));
  const table = new VectorTable(512);
  table.add(quantize(vector.map((value) => value * 1e-3)));
  table.add(quantize(vector.map((value) => value * 1e3)));

  const [small, large] = table.similarities(quantize(vector));

  expect(small).toBeCloseTo(1, 2);
  expect(large).toBeCloseTo(small!, 6);
});

test("a slot that was freed is nobody's, and is used again", () => {
  const table = new VectorTable(16);
  const slot = table.add(quantize([1]));
  table.remove(slot);

  expect(table.similarities(quantize([1]))[slot]).toBe(0);
  expect(table.add(quantize([0, 1]))).toBe(slot);
});

test("a vector with a value that is no number is refused", () => {
  expect(() => quantize([1, NaN])).toThrow("no number");
});
