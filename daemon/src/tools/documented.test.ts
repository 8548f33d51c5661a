// docs/man/tools.md has every tool that comes with the system.

import { readFileSync } from "node:fs";
import { createTools } from "@aos/drivers";
import { expect, test } from "vitest";

test("every built-in tool has a line, with its effect, and no other has", () => {
  const page = readFileSync(new URL("../../../docs/man/tools.md", import.meta.url), "utf8");

  const rows = [...page.matchAll(/^\| `([^`]+)`\s*\| (\w+)/gm)].map(([, name, effect]) => [
    name,
    effect,
  ]);

  const tools = createTools(undefined as never).map(({ name, effect }) => [name, effect]);
  expect(rows.toSorted()).toEqual(tools.toSorted());
});
