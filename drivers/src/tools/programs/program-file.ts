// Program file: a program of the machine as a tool, declared as data.
//
//   name: text.convert
//   program: pandoc
//   description: Convert a text document.
//   input: { type: object, required: [path, to], properties: { path: { type: string }, to: { type: string } } }
//   paths: { path: read }
//   argv: ["--from=markdown", "--to={to}", "--", "{path}"]
//
// PROGRAM-FILE-1  An unknown field, a placeholder without a property, and a path that is not a property are errors
//     with the line.
// PROGRAM-FILE-2  A placeholder is within one word: a value never becomes two words, and becomes an option only where
//     the word names the option.

import { LineCounter, parseDocument, type Document } from "yaml";
import { SysError, toolUndo } from "@aos/protocol";
import { z } from "zod";

const programSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*$/, "a name like text.convert"),
  version: z.union([z.string(), z.number()]).transform(String).default("1"),
  description: z.string().min(1).max(2000),
  program: z.string().min(1),
  /** Debian's package that brings it. */
  package: z.string().optional(),
  tags: z.array(z.string()).default([]),
  input: z.record(z.string(), z.unknown()),
  /** Words, and groups of words that are there only when an argument is given and not false. */
  argv: z.array(
    z.union([z.string(), z.strictObject({ if: z.string(), words: z.array(z.string()) })]),
  ),
  /** The argument that is given to standard input. */
  stdin: z.string().optional(),
  /** Arguments that are paths, and what is done to them. */
  paths: z.record(z.string(), z.enum(["read", "write"])).default({}),
  output: z.enum(["text", "json", "lines"]).default("text"),
  /** Exit codes that are no failure, beside 0: `grep` ends with 1 when nothing is found. */
  okCodes: z.array(z.number().int().min(1).max(255)).default([]),
  /** The call that takes one back. */
  undo: toolUndo.optional(),
  timeoutMs: z.number().int().positive().default(120_000),
  memoryBytes: z.number().int().positive().optional(),
});

export type ProgramFile = z.output<typeof programSchema>;
export type Template = ProgramFile["argv"];

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export const placeholdersIn = (word: string): string[] =>
  [...word.matchAll(PLACEHOLDER)].map(([, name]) => name!);

export function readProgramFile(text: string, file: string): ProgramFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken !== undefined)
    throw new ProgramFileFlaw(
      file,
      lines.linePos(broken.pos[0]).line,
      broken.message.split("\n")[0]!,
    );
  const parsed = programSchema.safeParse(document.toJS());
  if (!parsed.success) {
    const { issues } = parsed.error;
    // A misspelt field is missing under its right name as well: where it is written says more.
    const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
    const { path, message } = issue;
    const field = path.map(String).join(".");
    const place = issue.code === "unrecognized_keys" ? [...path, issue.keys[0]!] : path;
    throw new ProgramFileFlaw(
      file,
      lineOf(document, lines, place),
      field === "" ? message : `${field}: ${message}`,
    );
  }
  const flaw = flawOf(parsed.data);
  if (flaw !== undefined)
    throw new ProgramFileFlaw(file, lineOf(document, lines, [flaw.field]), flaw.what);
  return parsed.data;
}

const namesIn = (part: Template[number]): string[] =>
  typeof part === "string"
    ? placeholdersIn(part)
    : [part.if, ...part.words.flatMap(placeholdersIn)];

/** PROGRAM-FILE-1. */
function flawOf({
  input,
  argv,
  paths,
  stdin,
}: ProgramFile): { field: string; what: string } | undefined {
  const known = Object.keys((input["properties"] ?? {}) as object);
  const unknown = (names: readonly string[]) => names.find((name) => !known.includes(name));
  for (const [field, names] of [
    ["argv", argv.flatMap(namesIn)],
    ["paths", Object.keys(paths)],
    ["stdin", stdin === undefined ? [] : [stdin]],
  ] as const) {
    const name = unknown(names);
    if (name !== undefined)
      return { field, what: `${field}: "${name}" is not a property of input` };
  }
  return undefined;
}

function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number] } | undefined;
    if (node?.range !== undefined) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

/** Its message begins with the file and the line. */
export class ProgramFileFlaw extends SysError {
  constructor(file: string, line: number, what: string) {
    super("EINVAL", `${file}:${line}: ${what}`);
  }
}
