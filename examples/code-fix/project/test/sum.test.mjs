import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "../sum.mjs";

test("all numbers count", () => {
  assert.equal(total([1, 2, 3]), 6);
});
