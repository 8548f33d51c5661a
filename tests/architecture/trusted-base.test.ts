// What decides and records is named, listed for readers, closed over its imports, and only gets smaller.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readLines, repository, sourceFiles, type SourceFile } from "./source-files.ts";
import {
  besideTheBase,
  MOST_BASE_LINES,
  SLACK_LINES,
  trustedBase,
  type BasePart,
} from "./trusted-base.ts";
import { importsOf } from "./trespass.ts";

const KERNEL = "kernel/src/";

const isPartOf = (path: string, { folder, files }: BasePart): boolean => {
  const at = `${KERNEL}${folder}/`;
  return path.startsWith(at) && (files?.includes(path.slice(at.length)) ?? true);
};

const isBeside = (path: string): boolean =>
  besideTheBase.some((name) => path === `${KERNEL}${name}` || path.startsWith(`${KERNEL}${name}/`));

const isForTests = (path: string): boolean => path.endsWith(".test.ts");

const inBase = ({ path }: SourceFile): boolean =>
  path.endsWith(".ts") && !isForTests(path) && trustedBase.some((part) => isPartOf(path, part));

const isAllowed = (to: string): boolean =>
  !isForTests(to) && (isBeside(to) || trustedBase.some((part) => isPartOf(to, part)));

/** Imports of the base that lead out of it. Packages are the business of the import map. */
const escapes = (files: readonly SourceFile[]): string[] =>
  files.filter(inBase).flatMap((file) =>
    importsOf(file)
      .filter(({ from, to }) => from.startsWith(".") && !isAllowed(to))
      .map(({ line, to }) => `${file.path}:${line}: the trusted base must not import ${to}`),
  );

const linesOf = (files: readonly SourceFile[], part?: BasePart): number =>
  files
    .filter((file) => inBase(file) && (part === undefined || isPartOf(file.path, part)))
    .reduce((sum, { lines }) => sum + lines.length, 0);

const files = sourceFiles();

describe("the trusted base", () => {
  test("it imports only itself, the protocol, the platform and the types of options", () => {
    expect(escapes(files)).toEqual([]);
  });

  test("only gets smaller", () => {
    const lines = linesOf(files);

    expect(
      lines,
      "the trusted base has grown: put what does not decide or record elsewhere",
    ).toBeLessThanOrEqual(MOST_BASE_LINES);
    expect(lines, `lower MOST_BASE_LINES to ${lines}`).toBeGreaterThan(
      MOST_BASE_LINES - SLACK_LINES,
    );
  });

  test("has no part that is gone", () => {
    const gone = trustedBase
      .flatMap(({ folder, files = [] }) => [folder, ...files.map((file) => `${folder}/${file}`)])
      .filter((path) => !existsSync(join(repository, KERNEL, path)));

    expect(gone).toEqual([]);
  });

  test("is listed in ARCHITECTURE.md, each part with what it does and about how long it is", () => {
    const page = readFileSync(join(repository, "ARCHITECTURE.md"), "utf8").replaceAll(/ +/g, " ");

    const wrong = trustedBase.filter((part) => {
      const row = `| \`kernel/src/${part.folder}\` | ${part.role} | `;
      const at = page.indexOf(row);
      const said = Number(/^[\d,]+/.exec(page.slice(at + row.length))?.[0].replaceAll(",", ""));
      const lines = linesOf(files, part);
      return at < 0 || !(Math.abs(said - lines) <= Math.max(100, lines / 10));
    });
    expect(wrong).toEqual([]);
  });

  test("an import that leads out of it is found, and so is one of a helper of tests", () => {
    const spy = readLines(
      "kernel/src/syscall/spy.ts",
      'import { a } from "./gate.ts";\nimport { b } from "../handlers/exec.ts";\nimport { c } from "../../../tests/helpers/kernel/process.ts";',
    );

    expect(escapes([spy])).toEqual([
      "kernel/src/syscall/spy.ts:2: the trusted base must not import kernel/src/handlers/exec.ts",
      "kernel/src/syscall/spy.ts:3: the trusted base must not import tests/helpers/kernel/process.ts",
    ]);
  });
});
