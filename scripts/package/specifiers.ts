// Specifiers: where a source file names another module, and what it is called in the package.
//
//   modulesNamed(file, text)      the files of this repository that it names
//   withPackageNames(file, text)  the same text: `./x.ts` is `./x.js`, `@aos/x` is a relative path
//
// SPECIFIERS-1  Names are found in the syntax tree, never in the text: a string that looks like one stays.
// SPECIFIERS-2  A name that leads to no file of the repository is an error of the build.

import { existsSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { readManifest, repository, rooms } from "./contents.ts";

interface Literal {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

const exportsOfRooms = new Map(
  rooms.flatMap((room) =>
    Object.entries(readManifest(room).exports ?? {}).map(([subpath, path]): [string, string] => [
      posix.join(`@aos/${room}`, subpath),
      posix.join(room, path),
    ]),
  ),
);

/** The file of the repository that a room's name leads to. */
export function roomFileOf(name: string): string {
  const file = exportsOfRooms.get(name);
  if (file === undefined) throw new Error(`no room exports ${name}`); // SPECIFIERS-2
  return file;
}

/** The file of the repository that a name leads to; undefined for a package of somebody else's. */
function fileOf(from: string, name: string): string | undefined {
  const file = name.startsWith(".")
    ? posix.join(dirname(from), name)
    : name.startsWith("@aos/")
      ? exportsOfRooms.get(name)
      : undefined;
  if (file === undefined && !name.startsWith("@aos/")) return undefined;
  if (file !== undefined && existsSync(join(repository, file))) return file;
  throw new Error(`${from} names ${name}, and there is no such file`); // SPECIFIERS-2
}

function literalsOf(file: string, text: string): Literal[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const found: Literal[] = [];
  const take = (node: unknown) => {
    const literal = node as { type?: string; value?: unknown; start: number; end: number } | null;
    if (literal?.type === "Literal" && typeof literal.value === "string")
      found.push({ value: literal.value, start: literal.start, end: literal.end });
  };
  const visitor = new Visitor({
    ImportDeclaration: (node) => take(node.source),
    ExportNamedDeclaration: (node) => take(node.source),
    ExportAllDeclaration: (node) => take(node.source),
    ImportExpression: (node) => take(node.source),
    TSImportType: (node) => take(node.source),
    NewExpression(node) {
      const [path, base] = node.arguments;
      const isUrl = node.callee.type === "Identifier" && node.callee.name === "URL";
      if (isUrl && base !== undefined && text.slice(base.start, base.end) === "import.meta.url")
        take(path);
    },
    CallExpression(node) {
      if (text.slice(node.callee.start, node.callee.end) === "import.meta.resolve")
        take(node.arguments[0]);
    },
  });
  visitor.visit(program);
  return found.filter(({ value }) => value.startsWith(".") || value.startsWith("@aos/"));
}

export const modulesNamed = (file: string, text: string): string[] =>
  literalsOf(file, text).flatMap(({ value }) => fileOf(file, value) ?? []);

const SOURCE = /\.ts$/;

export function withPackageNames(file: string, text: string): string {
  let renamed = text;
  for (const { value, start, end } of literalsOf(file, text).toSorted(
    (a, b) => b.start - a.start,
  )) {
    const target = fileOf(file, value);
    if (target === undefined) continue;
    const path = posix.normalize(relative(dirname(file), target).replace(SOURCE, ".js"));
    const name = path.startsWith(".") ? path : `./${path}`;
    renamed = `${renamed.slice(0, start)}${JSON.stringify(name)}${renamed.slice(end)}`;
  }
  return renamed;
}
