// Data set: the cases of an evaluation, from its file, a JSONL file or a CSV file.
//
//   {"id": "one", "input": "2 + 2", "expected": "4", "label": "untrusted/public", "tags": ["sums"], "hint": "…"}
//
// DATA-SET-1  Every row is read before anything runs; what is wrong with one is said with its file and line.
// DATA-SET-2  `target` and `ideal` are other names of `expected`. All fields can be named by the template and by scorers.

import { readLabel } from "@aos/kernel";
import { type Json, type JsonObject, SysError } from "@aos/protocol";

export interface DataRow {
  readonly fields: JsonObject;
  /** For messages: `cases.jsonl:3`. */
  readonly where: string;
}

const MOST_ROWS = 10_000;

export function readDataFile(text: string, file: string): DataRow[] {
  const rows = file.toLowerCase().endsWith(".csv") ? csvRows(text, file) : jsonRows(text, file);
  if (rows.length === 0) throw new SysError("EINVAL", `${file}: there are no cases`);
  if (rows.length > MOST_ROWS)
    throw new SysError("EINVAL", `${file}: more than ${MOST_ROWS} cases`, {
      hint: "evaluate a part of them",
    });
  return rows;
}

function jsonRows(text: string, file: string): DataRow[] {
  return text.split(/\r?\n/).flatMap((line, nth) => {
    if (line.trim() === "") return [];
    const where = `${file}:${nth + 1}`;
    return [{ fields: objectIn(line, where), where }];
  });
}

function objectIn(line: string, where: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new SysError("EINVAL", `${where}: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new SysError("EINVAL", `${where}: a case is an object`);
  return value as JsonObject;
}

function csvRows(text: string, file: string): DataRow[] {
  const [head, ...rows] = csvLines(text, file);
  const names = head?.values.map((name) => name.trim()) ?? [];
  if (names.some((name) => name === "") || new Set(names).size !== names.length)
    throw new SysError("EINVAL", `${file}:1: every column needs a name of its own`);
  return rows.map(({ values, line }) => {
    const where = `${file}:${line}`;
    if (values.length !== names.length)
      throw new SysError(
        "EINVAL",
        `${where}: ${values.length} fields, and there are ${names.length} columns`,
      );
    const named = names.map((name, nth): [string, Json] => [name, values[nth]!]);
    const fields = Object.fromEntries(named);
    const { tags } = fields;
    return {
      fields:
        typeof tags === "string" ? { ...fields, tags: tags.split(/\s+/).filter(Boolean) } : fields,
      where,
    };
  });
}

/** RFC 4180. */
function* csvCells(
  text: string,
  file: string,
): Generator<{ value: string; end: string; line: number }> {
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const begun = line;
    let value = "";
    if (text[at] === '"') {
      for (at += 1; ; at++) {
        if (at >= text.length)
          throw new SysError("EINVAL", `${file}:${begun}: a " without its end`);
        if (text[at] === '"' && text[at + 1] === '"') at += 1;
        else if (text[at] === '"') break;
        if (text[at] === "\n") line += 1;
        value += text[at];
      }
      at += 1;
    } else {
      const from = at;
      while (at < text.length && !",\r\n".includes(text[at]!)) at += 1;
      value = text.slice(from, at);
    }
    if (text[at] === "\r") at += 1;
    const end = text[at] ?? "";
    if (!["", ",", "\n"].includes(end))
      throw new SysError("EINVAL", `${file}:${line}: text after a closing "`);
    at += 1;
    yield { value, end, line: begun };
    if (end === "\n") line += 1;
  }
}

function csvLines(text: string, file: string): { values: string[]; line: number }[] {
  const lines: { values: string[]; line: number }[] = [];
  let values: string[] = [];
  for (const { value, end, line } of csvCells(text.replace(/^\uFEFF/, ""), file)) {
    values.push(value);
    if (end === ",") continue;
    if (values.length > 1 || value !== "") lines.push({ values, line });
    values = [];
  }
  if (values.length > 0) lines.push({ values: [...values, ""], line: lines.length + 1 });
  return lines;
}

interface CaseWords {
  readonly id: string;
  readonly expected: Json;
  readonly label: string | undefined;
  readonly tags: readonly string[];
}

/** What the evaluation itself reads of a row. DATA-SET-2. */
export function caseWords({ fields, where }: DataRow, nth: number): CaseWords {
  const { id = String(nth + 1), tags = [], label } = fields;
  const { expected = fields["target"] ?? fields["ideal"] ?? null } = fields;
  const isTexts = Array.isArray(tags) && tags.every((tag) => typeof tag === "string");
  if (!isTexts) throw new SysError("EINVAL", `${where}: tags: a list of texts`);
  if (typeof id !== "string" && typeof id !== "number")
    throw new SysError("EINVAL", `${where}: id: a text`);
  const given = label === "" || label === null ? undefined : label;
  if (given !== undefined) checkLabel(given, where);
  return { id: String(id), expected, label: given as string | undefined, tags: tags as string[] };
}

function checkLabel(label: Json, where: string): void {
  try {
    readLabel(label as string);
  } catch {
    throw new SysError("EINVAL", `${where}: label: unknown label ${JSON.stringify(label)}`, {
      hint: "write trusted|mixed|untrusted, a slash, and public|internal|confidential|secret",
    });
  }
}
