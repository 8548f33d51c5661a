// YamlFile: strict parsing of YAML files. Every problem has file, line and field.
//
//   readYaml(text, "agent.yaml", manifestSchema)
//   EINVAL agent.yaml:7: capabilities[1]: …

import { SysError } from "@aos/protocol";
import { LineCounter, isMap, isNode, parseDocument, type Document } from "yaml";
import type { z } from "zod";
import { formatIssue, type FieldPath } from "./format-issue.ts";

export interface FieldProblem {
  readonly path: FieldPath;
  readonly message: string;
}

/** A value, and the line that each field of it is written on. */
export interface YamlDocument {
  readonly written: unknown;
  readonly lineOf: (path: FieldPath) => number;
}

export function readYaml<Schema extends z.ZodType>(
  text: string,
  file: string,
  schema: Schema,
  complain: (read: z.output<Schema>, written: unknown) => readonly FieldProblem[] = () => [],
): { readonly written: unknown; readonly read: z.output<Schema> } {
  const { written, lineOf } = parseYaml(text, file);
  return readWritten(
    { written, whereOf: (path) => ({ file, line: lineOf(path) }) },
    schema,
    complain,
  );
}

/** A value, and where each field of it is written. */
export interface LocatedValue {
  readonly written: unknown;
  readonly whereOf: (path: FieldPath) => { readonly file: string; readonly line: number };
}

export function readWritten<Schema extends z.ZodType>(
  { written: found, whereOf }: LocatedValue,
  schema: Schema,
  complain: (read: z.output<Schema>, written: unknown) => readonly FieldProblem[] = () => [],
): { readonly written: unknown; readonly read: z.output<Schema> } {
  const written = found ?? {};
  const parsed = schema.safeParse(written, { reportInput: true });
  const complaints = parsed.success
    ? complain(parsed.data, written)
    : parsed.error.issues.flatMap((issue) => formatIssue(issue, schema, written));
  if (!parsed.success || complaints.length > 0) {
    throw yamlFailure(
      complaints.map(({ path, message }) => ({
        ...whereOf(path),
        field: fieldName(path),
        message,
      })),
    );
  }
  return { written, read: parsed.data };
}

/** Throws EINVAL for text that is no YAML. Nothing at all is null. */
export function parseYaml(text: string, file: string): YamlDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const broken = document.errors[0];
  if (broken !== undefined) {
    const at = lines.linePos(broken.pos[0]);
    throw yamlFailure([{ file, line: at.line, field: "", message: broken.message }]);
  }
  return {
    written: document.toJS() as unknown,
    lineOf: (path) => lines.linePos(offsetOf(document, path)).line,
  };
}

export type YamlProblem = { file: string; line: number; field: string; message: string };

export function yamlFailure(problems: YamlProblem[], hint?: string): SysError {
  const texts = problems.map(
    ({ file, line, field, message }) =>
      `${file}:${line}: ${field === "" ? "" : `${field}: `}${message}`,
  );
  return new SysError("EINVAL", texts.join("\n"), { detail: problems, hint });
}

/** `capabilities[1]`, `budget.usd`. */
export const fieldName = (path: FieldPath): string =>
  path
    .map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`))
    .join("");

/** Where a field is written; where it is missing, what it is missing from. */
function offsetOf(document: Document, path: FieldPath): number {
  for (let length = path.length; length > 0; length--) {
    const parent: unknown =
      length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const step = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isNode(key) && key.toJS(document) === step);
      if (pair !== undefined && isNode(pair.key) && pair.key.range) return pair.key.range[0];
    }
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}
