import { expect, test } from "vitest";
import { commands } from "./commands.ts";

test.each(commands)("aos $usage can be loaded, and its examples use it", async (row) => {
  const name = row.usage.replace(/ [<[].*$/, "");

  const { default: command } = await row.load();

  expect(command).toBeTypeOf("function");
  expect(row.examples.length).toBeGreaterThan(0);
  for (const example of row.examples) expect(example).toContain(`aos ${name}`);
});
