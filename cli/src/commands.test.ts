import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "./commands.ts";
import { commandShape, namesOf } from "./line/shape.ts";
import { processRows } from "./process-rows.ts";

test.each(commands)("aos $usage can be loaded, and its examples use it", async (row) => {
  const name = row.usage.replace(/ [<[].*$/, "");

  const { default: command } = await row.load();

  expect(command).toBeTypeOf("function");
  expect(row.examples.length).toBeGreaterThan(0);
  for (const example of row.examples) expect(example).toContain(`aos ${name}`);
});

test("PROCESS-ROWS-1: the first words of the commands of processes are theirs alone", () => {
  const firstWords = new Set(processRows.map((row) => namesOf(row)[0]));
  const others = commands.filter((row) => !processRows.includes(row));

  expect(others.filter((row) => firstWords.has(namesOf(row)[0]))).toEqual([]);
  expect(processRows.every((row) => commands.includes(row))).toBe(true);
});

test("an option that a command reads is one that some command takes", () => {
  const taken = new Set(commands.flatMap((row) => commandShape(row).options.map(({ key }) => key)));
  const read = globSync("**/*.ts", { cwd: import.meta.dirname })
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) => [
      ...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(
        /options\.(?:flag|texts?)\("(\w+)"\)/g,
      ),
    ])
    .map(([, name]) => name!);

  expect(read.length).toBeGreaterThan(50);
  expect(read.filter((name) => !taken.has(name))).toEqual([]);
});
