// What is counted on grants for the worst case of a call, and what takes its place when the call is over.

import { expect, test } from "vitest";
import {
  attenuateBlock,
  type CapabilityCharge,
  holdMoney,
  lacksMoney,
  settleCharges,
} from "./block.ts";
import { parseCapability } from "./grammar.ts";

const USD = 1_000_000;

function chargeOn(text: string): CapabilityCharge {
  const block = attenuateBlock(null, [parseCapability(text)], { id: "b", mintedAt: 0 });
  return { block, held: block.held[0]! };
}
const usageOf = ({ held }: CapabilityCharge) => [held.usage.microUsd, held.usage.bytes];

test("the worst case is counted once: later only what is more than before", () => {
  const one = chargeOn("tool:*:call{usd:1}");

  holdMoney([one], 300);
  expect([one.held.usage.microUsd, one.taken]).toEqual([300, 300]);
  holdMoney([one], 500);
  expect([one.held.usage.microUsd, one.taken]).toEqual([500, 500]);
  holdMoney([one], 200); // what it has it keeps
  expect([one.held.usage.microUsd, one.taken]).toEqual([500, 500]);
});

test("a call that costs nothing has taken nothing", () => {
  const free = chargeOn("tool:*:call{usd:1}");

  holdMoney([free], 0);
  settleCharges([free], { microUsd: 5, worst: 100, bytes: 0 });

  expect(usageOf(free)).toEqual([5, 0]);
});

test("a worst case fits up to the last micro-dollar of the grant", () => {
  const one = chargeOn("tool:*:call{usd:1}");
  const unlimited = chargeOn("tool:*:call");

  expect(lacksMoney([unlimited, one], USD)).toBeUndefined();
  expect(lacksMoney([unlimited, one], USD + 1)).toBe(one.held);
  one.held.usage.microUsd = 1;
  expect(lacksMoney([one], USD - 1)).toBeUndefined();
  expect(lacksMoney([one], USD)).toBe(one.held);
});

test("what a charge has taken already is room for the same call", () => {
  const one = chargeOn("tool:*:call{usd:1}");
  holdMoney([one], USD);

  expect(lacksMoney([one], USD)).toBeUndefined();
  expect(lacksMoney([one], 5)).toBeUndefined();
  expect(lacksMoney([one], USD + 1)).toBe(one.held);
});

test("BLOCK-5: what it cost takes the place of what was taken, and is never less than nothing", () => {
  const one = chargeOn("tool:*:call{usd:1,bytes:100}");
  holdMoney([one], 500);
  one.held.usage.microUsd += 40;

  settleCharges([one], { microUsd: 200, worst: 9_999, bytes: 7 });
  expect(usageOf(one)).toEqual([240, 7]);
  settleCharges([one], { microUsd: 0, worst: 0, bytes: 3 });
  expect(usageOf(one)).toEqual([0, 10]);
});

test("BLOCK-5: what a life before this one took is the worst case that its record says", () => {
  const again = chargeOn("tool:*:call{usd:1}");
  again.held.usage.microUsd = 600;

  settleCharges([again], { microUsd: 50, worst: 500, bytes: 0 });

  expect(usageOf(again)).toEqual([150, 0]);
});
