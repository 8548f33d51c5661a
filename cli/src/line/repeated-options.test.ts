// An option that a command reads as a list is one that may be repeated: otherwise its text would be read letter by letter.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../commands.ts";
import { readLine } from "./read-line.ts";
import { commandShape } from "./shape.ts";

const source = new URL("../", import.meta.url);

const readAsLists = new Set(
  (readdirSync(source, { recursive: true }) as string[])
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) => [
      ...readFileSync(new URL(file, source), "utf8").matchAll(/\.texts\("(\w+)"\)/g),
    ])
    .map(([, key]) => key!),
);

const options = commands.flatMap((row) =>
  commandShape(row).options.map((option) => ({ row, option })),
);

test("every option that is read as a list may be repeated, and no other", () => {
  expect([...readAsLists]).toEqual(expect.arrayContaining(["cap", "allow", "remove", "ceiling"]));
  for (const { row, option } of options) {
    const isRepeatable = option.what.endsWith("(repeatable)");
    expect([row.usage, option.long, option.isMany]).toEqual([row.usage, option.long, isRepeatable]);
  }
  const many = new Set(
    options.filter(({ option }) => option.isMany).map(({ option }) => option.key),
  );
  expect([...readAsLists].filter((key) => !many.has(key))).toEqual([]);
});

test("what is allowed to a tenant is a list, once or several times", () => {
  const line = readLine(commands, ["tenant", "set", "acme", "--allow", "tool:x:call"]);

  expect(line).toMatchObject({ kind: "call", given: { allow: ["tool:x:call"] } });
});
