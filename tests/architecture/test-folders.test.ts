// The tests can be found: CONTRIBUTING.md has a row for each folder of them, and a name that is only a value
// has a sentence around it.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isTest, repository, sourceFiles } from "./source-files.ts";

test("CONTRIBUTING.md says of every folder of tests/ what it proves", () => {
  const folders = readdirSync(join(repository, "tests"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `tests/${name}`);

  const page = readFileSync(join(repository, "CONTRIBUTING.md"), "utf8");
  const rows = Array.from(page.matchAll(/^\| `(tests\/[\w-]+)`\s*\|\s*\S/gm), ([, name]) => name!);

  expect(rows.toSorted()).toEqual(folders.toSorted());
});

test("a test whose name is only values is in a describe that says what is promised of them", () => {
  const bare = sourceFiles()
    .filter(isTest)
    .flatMap(({ path, lines }) =>
      lines.flatMap((text, index) => {
        const opened = lines.slice(0, index + 1).findLast((line) => /^\w+(\.each)?\(/.test(line));
        const isBare = /^(?:\w+(?:\.each\(.*\))?|\]\))\("(?:%\w|[^\w"])+",/.test(text);
        return isBare && /^(test|it)\b/.test(opened ?? "") ? [`${path}:${index + 1}`] : [];
      }),
    );

  expect(bare).toEqual([]);
});
