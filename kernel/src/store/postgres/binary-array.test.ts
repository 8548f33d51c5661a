// Binary arrays: the bytes that PostgreSQL reads. That it reads them so is the contract's matter.

import { expect, test } from "vitest";
import { bigints, byteas, texts } from "./binary-array.ts";

const head = (type: number, length: number) => [
  0,
  0,
  0,
  1,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  type,
  0,
  0,
  0,
  length,
  0,
  0,
  0,
  1,
];

test("numbers are eight bytes each, negative and large ones too", () => {
  const values = [-1, 0, 2 ** 32, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];

  const bytes = bigints(values);

  expect([...bytes.subarray(0, 20)]).toEqual(head(20, 5));
  expect(values.map((_, nth) => Number(bytes.readBigInt64BE(24 + nth * 12)))).toEqual(values);
  expect(bytes).toHaveLength(20 + 5 * 12);
});

test("texts have the length of their bytes, not of their characters", () => {
  const bytes = texts(["é", "", "a\uD83D\uDE00"]);

  expect([...bytes]).toEqual([
    ...head(25, 3),
    0,
    0,
    0,
    2,
    0xc3,
    0xa9,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    5,
    0x61,
    0xf0,
    0x9f,
    0x98,
    0x80,
  ]);
});

test("bytes are as they are", () => {
  expect([...byteas([Uint8Array.of(0, 255)])]).toEqual([...head(17, 1), 0, 0, 0, 2, 0, 255]);
});

test("an empty column has no dimension", () => {
  expect([...bigints([])]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20]);
});
