import { expect, test } from "vitest";
import { keysIn } from "./keys.ts";

test.each([
  ["\u001b[A\u001b[B", ["up", "down"]],
  ["\u001bOA", ["up"]],
  ["\r", ["enter"]],
  ["kY", ["k", "Y"]],
  ["\u0003", ["stop"]],
  ["\u001b", ["escape"]],
  ["\u001b[5~x", ["page-up", "x"]],
  ["\u001b[1;5A", ["other"]],
  ["\u007f\t", ["back", "tab"]],
  ["é/😀", ["é", "/", "😀"]],
  ["\u0001", ["other"]],
  ["", []],
])("KEYS-1: %j is %j", (sent, keys) => {
  expect(keysIn(sent)).toEqual(keys);
});
