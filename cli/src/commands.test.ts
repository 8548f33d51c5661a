import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "./commands.ts";
import { namesOf } from "./line/shape.ts";
import { processRows } from "./process-rows.ts";

test.each(commands)("aos $usage can be loaded, and its examples use it", async (row) => {
  const name = row.usage.replace(/ [<[].*$/, "");

  const { default: command } = await row.load();

  expect(command).toBeTypeOf("function");
  expect(row.examples.length).toBeGreaterThan(0);
  for (const example of row.examples) expect(example).toContain(`aos ${name}`);
});

test("no command asks for an option by a name that it never has: --no-start is `start`, false", () => {
  const files = globSync("cli/src/**/*.ts", { exclude: ["**/*.test.ts"] });
  const asked = files.filter((file) => /flag\("no[A-Z]/.test(readFileSync(file, "utf8")));

  expect(files.length).toBeGreaterThan(100);
  expect(asked).toEqual([]);
});

test("PROCESS-ROWS-1: the first words of the commands of processes are theirs alone", () => {
  const firstWords = new Set(processRows.map((row) => namesOf(row)[0]));
  const others = commands.filter((row) => !processRows.includes(row));

  expect(others.filter((row) => firstWords.has(namesOf(row)[0]))).toEqual([]);
  expect(processRows.every((row) => commands.includes(row))).toBe(true);
});
