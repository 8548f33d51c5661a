// The documents speak of what is there: every file that one links to, or names as a path of the
// repository, exists, and so does every heading that a link leads to.

import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { CONTENTS, readChapters } from "../../scripts/docs-site/pages.ts";
import { readLines, repository, sourceFiles, type SourceFile } from "./source-files.ts";

const LINK = /\]\((?!https?:|mailto:|#)([^)#\s]+)/g;
/** A path in backquotes that begins with a folder of ours. */
const PATH =
  /`((?:protocol|kernel|drivers|userland|daemon|client|cli|sdk|dashboard|tests|scripts|bench|examples|docs)\/[a-zA-Z0-9_./-]+)`/g;

const targetsIn = (file: SourceFile): [line: number, path: string][] =>
  proseOf(file).flatMap((text, index) => [
    ...[...text.matchAll(LINK)].map(([, path]): [number, string] => [
      index + 1,
      posix.join(posix.dirname(file.path), path!),
    ]),
    ...[...text.matchAll(PATH)].map(([, path]): [number, string] => [index + 1, path!]),
  ]);

/** The lines with the examples emptied, and with the names that stand for any. */
function proseOf({ lines }: SourceFile): string[] {
  let inExample = false;
  return lines.map((text) => {
    if (text.startsWith("```")) inExample = !inExample;
    return inExample ? "" : text.replaceAll(/`[^`]*NAME[^`]*`/g, "");
  });
}

const missingIn = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap((file) =>
      targetsIn(file)
        .filter(([, path]) => !existsSync(join(repository, path)))
        .map(([line, path]) => `${file.path}:${line}: there is no ${path}`),
    );

const ANCHOR = /\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g;

/** The anchors of a page, as GitHub makes them of its headings. */
const anchorsOf = (page: SourceFile): Set<string> =>
  new Set(
    proseOf(page)
      .filter((line) => /^#+ /.test(line))
      .map((line) => line.replace(/^#+ /, "").toLowerCase())
      .map((text) => text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(/\s/g, "-")),
  );

const lostAnchorsIn = (files: readonly SourceFile[]): string[] => {
  const pages = new Map(
    files.filter(({ path }) => path.endsWith(".md")).map((file) => [file.path, file]),
  );
  return [...pages.values()].flatMap((file) =>
    proseOf(file).flatMap((text, index) =>
      [...text.matchAll(ANCHOR)].flatMap(([, path = "", anchor = ""]) => {
        const target = path === "" ? file.path : posix.join(posix.dirname(file.path), path);
        const page = pages.get(target);
        return page === undefined || anchorsOf(page).has(anchor)
          ? []
          : [`${file.path}:${index + 1}: ${target} has no heading #${anchor}`];
      }),
    ),
  );
};

test("every heading that a link leads to is there", () => {
  expect(lostAnchorsIn(sourceFiles())).toEqual([]);
});

test("a link to a heading that is not there is found", () => {
  const page = readLines(
    "docs/made-up.md",
    "# Who calls?\n[a](#who-calls) [b](made-up.md#who-called)",
  );

  expect(lostAnchorsIn([page])).toEqual([
    "docs/made-up.md:2: docs/made-up.md has no heading #who-called",
  ]);
});

test("every page of docs is in the table of contents (DOCS-PAGES-1)", () => {
  const named = new Set(readChapters().flatMap(({ pages }) => pages.map(({ path }) => path)));
  const pages = sourceFiles().filter(({ path }) => /^docs\/[^/]+\.md$/.test(path));

  expect(
    pages.map(({ path }) => path).filter((path) => path !== CONTENTS && !named.has(path)),
  ).toEqual([]);
});

test("every file that a document names is there", () => {
  expect(missingIn(sourceFiles())).toEqual([]);
});

test("a document that names what is not there is found", () => {
  const page = readLines("docs/made-up.md", "see [it](gone.md)\nand `kernel/src/gone.ts`");

  expect(missingIn([page])).toEqual([
    "docs/made-up.md:1: there is no docs/gone.md",
    "docs/made-up.md:2: there is no kernel/src/gone.ts",
  ]);
});
