import { expect, test } from "vitest";
import { NumberReader, NumberWriter } from "./compact-numbers.ts";

const EDGES = [0, 1, 252, 253, 254, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
const OTHERS = [-1, 0.5, -(2 ** 53) + 1, 1e300];

function copied(numbers: readonly number[], writer = new NumberWriter()): number[] {
  for (const number of numbers) writer.write(number);
  const reader = new NumberReader(Uint8Array.from(writer.take()));
  const read: number[] = [];
  while (!reader.isAtEnd) read.push(reader.read());
  return read;
}

test("every number comes back as it was", () => {
  expect(copied([...EDGES, ...OTHERS])).toEqual([...EDGES, ...OTHERS]);
});

test("a writer holds any number of numbers, and is empty when they are taken", () => {
  const writer = new NumberWriter();
  const many = Array.from({ length: 5000 }, (_, nth) => nth + 0.5);

  expect(copied(many, writer)).toEqual(many);
  expect(writer.isEmpty).toBe(true);
  expect(copied([7], writer)).toEqual([7]);
});

test.each(EDGES.filter((number) => number > 252))(
  "%d without its last byte is not read",
  (number) => {
    const writer = new NumberWriter();
    writer.write(number);
    const reader = new NumberReader(writer.take().slice(0, -1));

    expect(() => reader.read()).toThrow(RangeError);
  },
);
