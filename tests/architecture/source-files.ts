// Source files: every file of the repository that somebody wrote, with its lines.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface SourceFile {
  /** From the top of the repository, with `/`. */
  readonly path: string;
  readonly lines: readonly string[];
}

export const repository = fileURLToPath(new URL("../../", import.meta.url));

/** What .gitignore leaves out, and what others made. */
const NOT_OURS = new Set([
  "node_modules",
  ".git",
  "dist",
  "coverage",
  ".aos",
  "__pycache__",
  ".tmp",
  "package-lock.json",
]);
const NOT_TEXT = /\.(png|jpg|ico|woff2?|gz|pyc|db|gguf|log)$/;
/** Kept as they once were. */
const FIXTURES = "tests/fixtures";

export function sourceFiles(): SourceFile[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const name of readdirSync(join(repository, folder)).sort()) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (NOT_OURS.has(name) || NOT_TEXT.test(name) || path === FIXTURES) continue;
      const file = statSync(join(repository, path));
      if (file.isDirectory()) walk(path);
      else if (file.isFile()) found.push(path);
    }
  };
  walk("");
  return found.map((path) => readLines(path, readFileSync(join(repository, path), "utf8")));
}

/** A file as the rules see it; also for one that a test makes up. */
export const readLines = (path: string, text: string): SourceFile => ({
  path,
  lines: text.replace(/\n$/, "").split("\n"),
});

export const isTypeScript = ({ path }: SourceFile): boolean => /\.m?tsx?$/.test(path);

/** Tests may see everything: they are in no room. */
export const isTest = ({ path }: SourceFile): boolean => path.endsWith(".test.ts");

/** The lines that are code, with their numbers; a comment breaks no rule. */
export const codeLines = ({ lines }: SourceFile): [line: number, text: string][] =>
  lines
    .map((text, index): [number, string] => [index + 1, text])
    .filter(([, text]) => !/^\s*(\/\/|\/?\*)/.test(text));
