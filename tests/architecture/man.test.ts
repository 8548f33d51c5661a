// docs/man says what the code says: every call has its page, and every page is of this day.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderAll } from "../../scripts/man/render.ts";
import { repository } from "./source-files.ts";

const folder = join(repository, "docs/man");
/** Made of other rows; tests/attack/catalogue.test.ts compares it. */
const CATALOGUE = "attacks.md";

/** The formatter sets tables and blank space; what is said is what is compared. */
const words = (text: string): string =>
  text
    .replaceAll(/[\s|]+/g, " ")
    .replaceAll(/-{3,}/g, "-")
    .replaceAll(/( -)+ /g, " ")
    .trim();

test("every system call has its page, and there is no other", () => {
  const pages = readdirSync(folder).filter((name) => name !== CATALOGUE);

  expect(pages.sort()).toEqual([...renderAll().keys()].sort());
});

test.each([...renderAll()])("docs/man/%s is what `npm run man` writes", (name, text) => {
  expect(words(readFileSync(join(folder, name), "utf8"))).toBe(words(text));
});
