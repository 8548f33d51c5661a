import { expect, test } from "vitest";
import { attenuateBlock, type CapabilityBlock, revokeBlock } from "./block.ts";
import { parseCapability } from "./grammar.ts";
import { heldPatterns } from "./held-patterns.ts";
import { Holdings } from "./holdings.ts";

let minted = 0;
/** One block under another: `holder` says whose it is. */
const block = (
  parent: CapabilityBlock | null,
  texts: readonly string[],
  holder = "own",
): CapabilityBlock =>
  attenuateBlock(parent, texts.map(parseCapability), { id: `b${minted++}`, mintedAt: 0, holder });

const held = (...chains: CapabilityBlock[]) =>
  heldPatterns(
    new Holdings(
      { handle: "birth", block: chains[0]! },
      chains.slice(1).map((chain, at) => ({ handle: `cap_${at}`, block: chain })),
    ),
    "file",
    1000,
  ).map(({ pattern, verbs }) => `${pattern}:${verbs.join(",")}`);

test("HELD-PATTERNS-1: what every block of the chain holds, with the verbs of all", () => {
  expect(held(block(null, ["file:/data/**:read,write"]))).toEqual(["/data/**:read,write"]);
  const above = block(null, ["file:/data/**:read"], "parent");
  expect(held(block(above, ["file:/data/in/**:read,write"]))).toEqual(["/data/in/**:read"]);
  expect(held(block(above, ["file:/**:read,write"]))).toEqual(["/data/**:read"]);
  expect(held(block(above, ["file:/data/**:write"]))).toEqual([]);
  expect(held(block(above, ["file:/database/**:read"]))).toEqual([]);
  expect(held(block(above, ["file:/data:read"]))).toEqual(["/data:read"]);
});

test("HELD-PATTERNS-1: a wider pattern with a star inside is not plainly wider", () => {
  const above = block(null, ["file:/data/*/in/**:read"], "parent");
  expect(held(block(above, ["file:/data/a/in/x/**:read"]))).toEqual([]);
  expect(held(block(above, ["file:/data/*/in/**:read"]))).toEqual(["/data/*/in/**:read"]);
  const file = block(null, ["file:/data/*.csv:read"], "parent");
  expect(held(block(file, ["file:/data/a.csv:read"]))).toEqual([]);
});

test("each chain stands for itself", () => {
  const one = block(null, ["file:/a/**:read"]);
  const other = block(null, ["file:/b/**:write"]);
  expect(held(one, other)).toEqual(["/a/**:read", "/b/**:write"]);
});

test.each([
  "rate:5/min",
  "max:3",
  "bytes:1KB",
  "timeout:5s",
  'pin.path:"/a"',
  "args:pinned",
  "hold:grant",
])("HELD-PATTERNS-2: what is held with %s is left out", (constraint) => {
  expect(held(block(null, [`file:/a/**:read{${constraint}}`]))).toEqual([]);
});

test("HELD-PATTERNS-2: above, it is what may be handed on that counts", () => {
  const toUse = block(null, ["file:/a/**:read{hold:use}"], "parent");
  expect(held(toUse)).toEqual(["/a/**:read"]);
  expect(held(block(toUse, ["file:/a/**:read"]))).toEqual([]);
  const toGrant = block(null, ["file:/a/**:read{hold:grant}"], "parent");
  expect(held(block(toGrant, ["file:/a/**:read"]))).toEqual(["/a/**:read"]);
});

test("what is revoked or over is not held, and the earliest end is said", () => {
  const above = block(null, ["file:/a/**:read{expires:2s}"], "parent");
  const chain = block(above, ["file:/a/**:read"]);
  const holdings = new Holdings({ handle: "birth", block: chain });
  expect(heldPatterns(holdings, "file", 1000)).toMatchObject([{ expiresAt: 2000, chain }]);
  expect(heldPatterns(holdings, "file", 2000)).toEqual([]);
  revokeBlock(above);
  expect(heldPatterns(holdings, "file", 1000)).toEqual([]);
});

test("a block that has nothing of the kind leaves nothing", () => {
  const above = block(null, ["tool:echo:call"], "parent");
  expect(held(block(above, ["file:/a/**:read"]))).toEqual([]);
});

test("everything is wider than anything", () => {
  const above = block(null, ["file:/**:read"], "parent");
  expect(held(block(above, ["file:/a/*/b:read", "file:/c:read"]))).toEqual(
    expect.arrayContaining(["/a/*/b:read", "/c:read"]),
  );
});

test("a folder with a star in its name is wider than nothing but itself", () => {
  const above = block(null, ["file:/a*/**:read"], "parent");
  expect(held(block(above, ["file:/a*/**:read", "file:/a*/x:read"]))).toEqual(["/a*/**:read"]);
});
