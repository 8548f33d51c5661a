// ProblemList: all problems of a policy text at once, each with its position.
//
//   const problems = new ProblemList();
//   problems.at(["rules", 3, "deny"], "no system call is called raed")
//   problems.done()                      throws when there are any
//
// PROBLEM-1  A policy with one problem is refused as a whole.

import type { z } from "zod";
import { CapabilityError } from "../capability/index.ts";
import { PolicyError, PolicyProblems, type DocumentPath } from "../policy/problem.ts";

export class ProblemList {
  readonly #found: PolicyError[] = [];

  at(path: DocumentPath, message: string): void {
    this.#found.push(new PolicyError(path, message));
  }

  /** What `read` returns; what it refuses becomes a problem at `path`. */
  try<T>(path: DocumentPath, read: () => T): T | undefined {
    let value: T | undefined;
    try {
      value = read();
    } catch (error) {
      if (error instanceof PolicyError) this.at([...path, ...error.path], error.message);
      else if (error instanceof CapabilityError) this.at(path, error.message);
      else throw error;
    }
    return value;
  }

  /** The document as the schema reads it, or undefined and its problems. */
  parse<Schema extends z.ZodType>(schema: Schema, document: unknown): z.output<Schema> | undefined {
    const { data, error } = schema.safeParse(document);
    error?.issues.forEach((issue) => this.#issue(issue));
    return data;
  }

  #issue(issue: z.core.$ZodIssue): void {
    const path = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
    if (issue.code !== "unrecognized_keys") return this.at(path, issue.message);
    for (const key of issue.keys) this.at([...path, key], `unknown key "${key}"`);
  }

  done(): void {
    if (this.#found.length > 0) throw new PolicyProblems(this.#found);
  }
}

/** `; did you mean "read"?`, or nothing when no name is near. */
export function nearestHint(word: string, names: Iterable<string>): string {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    const distance = distanceOf(word.toLowerCase(), name.toLowerCase());
    if (distance >= bestDistance) continue;
    best = name;
    bestDistance = distance;
  }
  return best === undefined ? "" : `; did you mean "${best}"?`;
}

/** Letters to change, add or take away. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
