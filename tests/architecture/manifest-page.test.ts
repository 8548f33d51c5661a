// docs/agent-yaml.md has every field of a manifest, and no field that there is not.

import { readFileSync } from "node:fs";
import { manifestSchema } from "@aos/protocol";
import { expect, test } from "vitest";
import { z } from "zod";

interface Field {
  readonly properties?: Readonly<Record<string, Field>>;
  readonly default?: unknown;
  readonly enum?: readonly string[];
}

const schema = z.toJSONSchema(manifestSchema, { io: "input", unrepresentable: "any" }) as Field;

/** The rows of the page by field: its type and its default. */
const rows = new Map(
  readFileSync("docs/agent-yaml.md", "utf8")
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, field = ""]) => /^`[\w.]+`$/.test(field))
    .map(([, field, type = "", unset = ""]) => [field!.slice(1, -1), { type, unset }]),
);

/** Every field without fields of its own, by its path. */
const leavesOf = (field: Field, path = ""): [path: string, field: Field][] =>
  field.properties === undefined
    ? [[path, field]]
    : Object.entries(field.properties).flatMap(([name, below]) =>
        leavesOf(below, path === "" ? name : `${path}.${name}`),
      );

const leaves = leavesOf(schema);

/** A field stands in a row of its own, or in the type of the field that it is part of. */
function isDocumented(path: string): boolean {
  const cut = path.lastIndexOf(".");
  const above = rows.get(path.slice(0, Math.max(cut, 0)));
  return rows.has(path) || (above?.type ?? "").includes(`\`${path.slice(cut + 1)}\``);
}

test("every field of a manifest has a row", () => {
  expect(leaves.length).toBeGreaterThan(40);
  expect(leaves.map(([path]) => path).filter((path) => !isDocumented(path))).toEqual([]);
});

test("every row is a field of a manifest", () => {
  const paths = leaves.map(([path]) => path);
  const known = new Set(paths.flatMap((path) => [path, path.replace(/\.[^.]+$/, "")]));

  expect([...rows.keys()].filter((field) => !known.has(field))).toEqual([]);
});

test("a row has the words that its field may be, and its default", () => {
  for (const [path, { enum: words = [], default: unset }] of leaves) {
    const row = rows.get(path);
    for (const word of words) expect(row?.type, path).toContain(`\`${word}\``);
    if (unset !== undefined)
      expect(row?.unset.replaceAll("`", ""), path).toBe(JSON.stringify(unset).replaceAll('"', ""));
  }
});
