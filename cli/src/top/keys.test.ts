import { expect, test } from "vitest";
import { keysIn } from "./keys.ts";

test.each([
  ["\u001b[A\u001b[B", ["up", "down"]],
  ["\u001bOA", ["up"]],
  ["\r", ["enter"]],
  ["kY", ["k", "y"]],
  ["\u0003", ["stop"]],
  ["\u001b", ["escape"]],
  ["\u001b[5~x", ["other", "other"]],
  ["\u001b[1;5A", ["other"]],
  ["é", ["other"]],
  ["", []],
])("%j is %j", (sent, keys) => {
  expect(keysIn(sent)).toEqual(keys);
});
