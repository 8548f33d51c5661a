// The documents speak of what is there: every file that one links to, or names as a path of the
// repository, exists.

import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
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
