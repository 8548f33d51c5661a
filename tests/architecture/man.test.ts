// docs/man says what the code says: every call has its page, and every page is of this day.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "@aos/cli/parts";
import { commandOutput } from "../../scripts/man/command-output.ts";
import { COMMANDS_PAGE, renderCommands } from "../../scripts/man/commands.ts";
import { renderAll } from "../../scripts/man/render.ts";
import { renderTables } from "../../scripts/man/tables.ts";
import { repository } from "./source-files.ts";

const folder = join(repository, "docs/man");
/** Made of other rows; tests/attack/catalogue.test.ts compares it. */
const CATALOGUE = "attacks.md";
const rendered = new Map([...renderAll(), ...(await renderTables())]).set(
  COMMANDS_PAGE,
  renderCommands(),
);
/** The metrics of a process are those of its system. */
const isOfThisSystem = (name: string) => name !== "metrics.md" || process.platform === "linux";

/** The formatter sets tables and blank space; what is said is what is compared. */
const words = (text: string): string =>
  text
    .replaceAll(/[\s|]+/g, " ")
    .replaceAll(/-{3,}/g, "-")
    .replaceAll(/( -)+ /g, " ")
    .trim();

test("every system call and every table has its page, and there is no other", () => {
  const pages = readdirSync(folder).filter((name) => name !== CATALOGUE);

  expect(pages.sort()).toEqual([...rendered.keys()].sort());
});

test("COMMAND-OUTPUT-1: every command has what it prints with -o json, and there is no other", () => {
  const names = commands.map(({ usage }) => usage.replace(/ [<[].*/, ""));

  expect(Object.keys(commandOutput).sort()).toEqual(names.sort());
});

test.each([...rendered].filter(([name]) => isOfThisSystem(name)))(
  "docs/man/%s is what `npm run man` writes",
  (name, text) => {
    expect(words(readFileSync(join(folder, name), "utf8"))).toBe(words(text));
  },
);
