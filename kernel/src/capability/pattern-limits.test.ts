import { expect, test } from "vitest";
import { CapabilityError } from "./error.ts";
import type { CapabilityKind } from "./kinds.ts";
import { compile, matches } from "./pattern.ts";

const list = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`).join(",");
const folders = (count: number) => "/a".repeat(count);
/** Segments of 200 characters, and one that fills up. */
const path = (length: number) => {
  const whole = `/${"a".repeat(199)}`.repeat(Math.floor((length - 2) / 200));
  return `${whole}/${"b".repeat(length - whole.length - 1)}`;
};

test.each<[string, CapabilityKind, (size: number) => string, number]>([
  ["characters of a pattern", "file", path, 4096],
  ["segments of a path", "file", folders, 256],
  ["characters of a segment", "file", (size) => `/${"a".repeat(size)}`, 255],
  ["stars in a segment", "file", (size) => `/${"*a".repeat(size)}`, 4],
  ["stars in a name", "tool", (size) => "*a".repeat(size), 4],
  ["subtrees in a path", "file", (size) => "/**/a".repeat(size), 2],
  ["names in a list", "tool", list, 64],
  ["pieces of a name", "shell", folders, 256],
  ["pieces of a name without a slash before it", "model", (size) => `m${folders(size - 1)}`, 256],
  ["characters of a host", "http", (size) => `${"a.".repeat(125)}${"o".repeat(size - 250)}`, 253],
  ["a port", "http", (size) => `a.com:${size}`, 65_535],
])("%s: %s takes the most it may have, and refuses one more", (_, kind, make, most) => {
  expect(compile(kind, make(most)).text).toContain(make(most).slice(0, 2));
  expect(() => compile(kind, make(most + 1))).toThrow(CapabilityError);
});

test.each<[string, CapabilityKind, (size: number) => string, number]>([
  ["characters of a resource", "file", path, 4096],
  ["segments of a path", "file", folders, 256],
  ["pieces of a name", "shell", folders, 256],
  ["pieces of a name without a slash before it", "model", (size) => `m${folders(size - 1)}`, 256],
  ["characters of a host", "http", (size) => `${"a.".repeat(125)}${"o".repeat(size - 250)}`, 253],
])("%s: a resource of %s that is one larger is covered by nothing", (_, kind, make, most) => {
  const everything = compile(kind, "*");

  expect(matches(everything, make(most))).toBe(true);
  expect(matches(everything, make(most + 1))).toBe(false);
});
