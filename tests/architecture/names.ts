// Names: what the rooms export, and the words that it is called by. docs/glossary.md has the words.
//
// NAMES-1  An exported name is declared in one file, so that a search for it finds one thing. The exceptions are
//          `repeatedNames` of import-map.ts. A re-export declares nothing. Earlier versions of programs keep the
//          names of then.
// NAMES-2  Every folder of a room is in the glossary, and so is every class and interface that is exported: by its
//          whole name, or by the last word of it (`AdmissionQueue`: queue). Words that need no definition are in
//          ordinary-words.ts.
// NAMES-3  No exported type ends with a word that the glossary says to avoid, unless the glossary has that word itself.

import { parseSync } from "oxc-parser";
import { repeatedNames, rooms } from "./import-map.ts";
import { ordinaryWords } from "./ordinary-words.ts";
import { isTest, isTypeScript, type SourceFile } from "./source-files.ts";

interface Declared {
  readonly name: string;
  readonly isType: boolean;
  /** A class or an interface. */
  readonly isShape: boolean;
  readonly path: string;
}

interface Node {
  readonly type: string;
  readonly [name: string]: unknown;
}

const isOfRoom = ({ path }: SourceFile) => {
  const [room = "", src] = path.split("/");
  return src === "src" && Object.hasOwn(rooms, room);
};

/** Cached: parsing the repository takes seconds, and every rule needs the result. */
const known = new WeakMap<readonly SourceFile[], Declared[]>();

export function exportedNames(files: readonly SourceFile[]): Declared[] {
  const before = known.get(files);
  if (before !== undefined) return before;
  const found = files
    .filter((file) => isTypeScript(file) && !isTest(file) && isOfRoom(file))
    .flatMap(namesIn);
  known.set(files, found);
  return found;
}

function namesIn({ path, lines }: SourceFile): Declared[] {
  const { program } = parseSync(path, lines.join("\n"));
  return (program.body as unknown as Node[])
    .filter(({ type, declaration }) => type === "ExportNamedDeclaration" && declaration !== null)
    .flatMap(({ declaration }) => {
      const { type, id, declarations } = declaration as Node;
      const ids =
        declarations === undefined
          ? [id as Node]
          : (declarations as { id: Node }[]).map(({ id }) => id);
      const isShape = type === "ClassDeclaration" || type === "TSInterfaceDeclaration";
      return ids.map((one) => ({
        name: String(one["name"]),
        isShape,
        isType: isShape || type === "TSTypeAliasDeclaration",
        path,
      }));
    });
}

/** Names that several files declare, as `name: file, file`. */
export function repeated(files: readonly SourceFile[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { name, path } of exportedNames(files)) {
    if (path.startsWith("userland/src/earlier/")) continue;
    const at = places.get(name) ?? new Set();
    places.set(name, at.add(path));
  }
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join(", ")}`);
}

const nameOf = (line: string) => line.slice(0, line.indexOf(":"));

/** NAMES-1. */
export const newlyRepeated = (files: readonly SourceFile[]): string[] =>
  repeated(files).filter((line) => !Object.hasOwn(repeatedNames, nameOf(line)));

/** Exceptions that nothing needs any more. */
export const idleRepeated = (files: readonly SourceFile[]): string[] => {
  const found = new Set(repeated(files).map(nameOf));
  return Object.keys(repeatedNames).filter((name) => !found.has(name));
};

export interface Glossary {
  readonly words: ReadonlySet<string>;
  readonly avoided: ReadonlySet<string>;
}

const ENTRY = /^- (?:\*\*(.+?)\*\*|`(\w+)`): (.*)$/;

/** Every entry `- **word, word**: meaning (avoid: word, word)`, the folders in backticks, and the ordinary words. */
export function readGlossary({ lines }: SourceFile, ordinary = ordinaryWords): Glossary {
  const words = new Set(ordinary);
  const avoided = new Set<string>();
  for (const line of lines) {
    const [, word, room, meaning = ""] = ENTRY.exec(line) ?? [];
    if (room !== undefined)
      for (const [, folder] of meaning.matchAll(/`([\w-]+)`/g)) words.add(folder!);
    if (word === undefined) continue;
    for (const one of word.split(", ")) words.add(key(one));
    const [, avoid] = /\(avoid: (.+)\)$/.exec(meaning) ?? [];
    for (const one of avoid?.split(", ") ?? []) avoided.add(key(one));
  }
  return { words, avoided };
}

const key = (word: string) => word.replaceAll("`", "").toLowerCase().replaceAll(" ", "-");
const singulars = (word: string): string[] => [
  word,
  word.replace(/ies$/, "y"),
  word.replace(/(s|x|ch|sh)es$/, "$1"),
  word.replace(/s$/, ""),
];
const lastWord = (name: string) =>
  /(?:[A-Z]+|[A-Z][a-z0-9]*)$/.exec(name)?.[0].toLowerCase() ?? name;

/** NAMES-2. */
export function unknownWords(files: readonly SourceFile[], { words }: Glossary): string[] {
  const knows = (word: string) => singulars(word).some((one) => words.has(one));
  const folders = new Set(
    files.filter(isOfRoom).flatMap(({ path }) => path.split("/").slice(2, -1)),
  );
  const names = exportedNames(files).filter(({ isShape }) => isShape);
  return [
    ...[...folders].filter((folder) => !knows(folder)).map((folder) => `folder ${folder}`),
    ...names
      .filter(({ name }) => !words.has(name.toLowerCase()) && !knows(lastWord(name)))
      .map(({ name, path }) => `${path}: ${name} (${lastWord(name)})`),
  ];
}

/** NAMES-3. */
export const avoidedWords = (
  files: readonly SourceFile[],
  { words, avoided }: Glossary,
): string[] =>
  exportedNames(files)
    .filter(({ name, isType }) => {
      const last = singulars(lastWord(name));
      return isType && last.some((word) => avoided.has(word) && !words.has(word));
    })
    .map(({ name, path }) => `${path}: ${name}`);
