import { expect, test } from "vitest";
import { attenuateBlock, parseCapability, revokeBlock } from "../capability/index.ts";
import { difference } from "./difference.ts";

const NOW = 1_800_000_000_000;

const chainOf = (...blocks: string[][]) =>
  blocks.reduce<ReturnType<typeof attenuateBlock> | null>(
    (parent, texts, nth) =>
      attenuateBlock(parent, texts.map(parseCapability), { id: `b${nth}`, mintedAt: NOW - 1000 }),
    null,
  )!;

const newIn = (wanted: string[], ...chains: ReturnType<typeof chainOf>[]) =>
  difference(
    wanted.map(parseCapability),
    chains.map((block) => ({ block })),
    NOW,
  );

test("what is held word for word, or lies within what is held without limit, is not new", () => {
  const chain = chainOf(["file:/work/**:read,write", "tool:look:call{timeout:30s}"]);

  expect(
    newIn(["file:/work/a:read", "file:/work/**:write", "tool:look:call{timeout:30s}"], chain),
  ).toEqual([]);
});

test.each([
  ["file:/work/docs/**:read", "file:/work/**:read,write"],
  ["tool:file.*:call", "tool:*:call"],
  ["http:a.example/**,b.example/x/**:get", "http:*/**:get,head"],
  ["http:a.example/x/**:get", "http:a.example/**:get"],
  ["tool:a,b:call", "tool:a,b,c:call"],
  ["http:www.example.com/**:get", "http:*.example.com/**:get"],
])("%s is plainly within %s", (wanted, held) => {
  expect(newIn([wanted], chainOf([held]))).toEqual([]);
});

test.each([
  ["tool:a,d:call", "tool:a,b,c:call"],
  ["file:/workshop/**:read", "file:/work/**:read"],
  ["file:/**:read", "file:/work/**:read"],
  ["tool:file.*.x:call", "tool:file.*:call"],
  ["http:a.example:8080/**:get", "http:*/**:get"],
  ["http:a.example/**,b.example/**:get", "http:a.example/**:get"],
  ["http:*.example/**:get", "http:a.example/**:get"],
  ["http:www.example.com/**:get", "http:*.example.com/v1/**:get"],
  ["file:/work/**:read", "file:/work/*/**:read"],
])("%s is not plainly within %s", (wanted, held) => {
  expect(newIn([wanted], chainOf([held]))).toEqual([wanted]);
});

test.each([
  ["another verb", "file:/work/a:remove"],
  ["another place", "file:/home/a:read"],
  ["a wider pattern", "file:/**:read"],
  ["a pattern of which only the words fit (D1)", "file:/work/*:read"],
  ["fewer limits", "tool:pay:call"],
  ["more of what is counted (D1)", "tool:pay:call{max:1}"],
  ["another kind", "memory:/work/a:read"],
])("%s is new", (_what, text) => {
  const chain = chainOf(["file:/work/**:read,write", "tool:pay:call{max:1}"]);

  expect(newIn([text], chain)).toEqual([text]);
});

test("every block of a chain has to hold it, and one chain of several is enough", () => {
  const narrow = chainOf(["tool:a:call", "tool:b:call"], ["tool:a:call"]);
  const other = chainOf(["tool:c:call"]);

  expect(newIn(["tool:a:call", "tool:b:call", "tool:c:call"], narrow, other)).toEqual([
    "tool:b:call",
  ]);
});

test("what is revoked, or ends, is new", () => {
  const dead = chainOf(["tool:a:call"]);
  revokeBlock(dead);
  const ending = attenuateBlock(null, [parseCapability("tool:a:call")], {
    id: "e",
    mintedAt: NOW - 1000,
    expiresAt: NOW + 1000,
  });

  expect(newIn(["tool:a:call"], dead, ending)).toEqual(["tool:a:call"]);
});
