// Invariants: what a file says is always true of it, in its header, each under an id: `// GATE-1  An external …`.
// Comments and the names of tests cite ids. An id is the name of its file or of what it is about, and a number.

import { isTypeScript, type SourceFile } from "./source-files.ts";

export interface Named {
  readonly id: string;
  /** `path:line`. */
  readonly at: string;
}

const ID = String.raw`[A-Z][A-Z0-9]*(?:-[A-Z0-9]*[A-Z][A-Z0-9]*)*-\d{1,2}`;
const DEFINITION = new RegExp(String.raw`^(?://| \*|#) {1,2}(${ID}) {2}\S`);
const CITATION = new RegExp(String.raw`(?<![\w./-])${ID}(?![\w-])`, "g");
/** An id of the file alone, such as `T1`, which others have as well. */
const SHORT = /^(?:\/\/| \*|#) {1,2}[A-Z]{1,4}\d{1,2} {2,}\S/;
/** What looks like an id and is the name of a standard. */
const STANDARDS = new Set(["UTF-8", "UTF-16", "SHA-1", "SSH-2", "PDF-1"]);

const isComment = (line: string) => /^\s*(\/\/|\/?\*|#)|\s\/\/\s|\/\*\*/.test(line);
const isTitle = (line: string) =>
  /\b(test|describe)\b.*["`]/.test(line) || /^\s*(\]\)\()?["`]/.test(line);
const isOurs = (file: SourceFile) =>
  (isTypeScript(file) || /\.(mjs|py|c|sh)$/.test(file.path)) &&
  !file.path.startsWith("userland/src/earlier/"); // frozen, with the ids of then

const lines = (files: readonly SourceFile[]) =>
  files
    .filter(isOurs)
    .flatMap(({ path, lines }) =>
      lines.map((text, index) => ({ text, at: `${path}:${index + 1}` })),
    );

export const definitions = (files: readonly SourceFile[]): Named[] =>
  lines(files).flatMap(({ text, at }) => {
    const id = DEFINITION.exec(text)?.[1];
    return id === undefined ? [] : [{ id, at }];
  });

export const citations = (files: readonly SourceFile[]): Named[] =>
  lines(files)
    .filter(({ text }) => isComment(text) || isTitle(text))
    .flatMap(({ text, at }) => [...text.matchAll(CITATION)].map(([id]) => ({ id, at })))
    .filter(({ id }) => !STANDARDS.has(id));

export const shortIds = (files: readonly SourceFile[]): string[] =>
  lines(files)
    .filter(({ text }) => SHORT.test(text))
    .map(({ at }) => at);
