import { expect, test } from "vitest";
import { attenuateBlock, revokeBlock } from "../capability/block.ts";
import { parseCapability } from "../capability/grammar.ts";
import type { AccessRequest } from "../capability/obstacle.ts";
import { witnesses } from "./witnesses.ts";

const caps = (...texts: string[]) => texts.map(parseCapability);
const pay: AccessRequest = { kind: "tool", resource: "pay", verb: "call" };

const root = attenuateBlock(null, caps("tool:*:call{hold:grant}", "file:/**:*"), {
  id: "root",
  mintedAt: 0,
});
const leaf = attenuateBlock(root, caps("tool:x:call", "tool:pay:call"), {
  id: "leaf",
  mintedAt: 0,
});

test("every block speaks, outermost first, with the capability of it that allows the request", () => {
  expect(witnesses(leaf, pay, 0)).toEqual([
    { block: "root", capability: "tool:*:call{hold:grant}" },
    { block: "leaf", capability: "tool:pay:call" },
  ]);
});

test("a block that has none, that is held for another use, or that is dead says nothing", () => {
  const dead = attenuateBlock(null, caps("tool:*:call"), { id: "dead", mintedAt: 0 });
  revokeBlock(dead);

  expect(witnesses(leaf, { ...pay, resource: "y" }, 0).at(-1)?.capability).toBeNull();
  expect(witnesses(root, pay, 0)).toEqual([{ block: "root", capability: null }]);
  expect(witnesses(dead, pay, 0)).toEqual([{ block: "dead", capability: null }]);
});

test("of what no capability can be about nobody speaks", () => {
  const odd = [{ kind: "spell" as "tool" }, { kind: "file" as const, resource: "/a/../b" }];

  for (const change of odd) {
    expect(witnesses(leaf, { ...pay, ...change }, 0).map((one) => one.capability)).toEqual([
      null,
      null,
    ]);
  }
});
