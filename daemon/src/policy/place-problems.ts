// What the kernel has against a policy, at the lines where it is written.
//
// The kernel says `origin: field: message`, a problem a line; we gave it each file's name as its origin.

import type { Kernel } from "@aos/kernel";
import { SysError, type PolicyProblem } from "@aos/protocol";
import type { FieldPath } from "../say-issue.ts";
import type { PolicySource, PolicyText } from "./policy-text.ts";

const FIELD = /^([^\s:[\].]+)((?:\[\d+\]|\.[^\s:[\].]+)*): (.*)$/s;

/** A case whose verdict nobody looks at: what counts is whether the kernel can read the policy. */
const ANY_CASE = { cases: [{ name: "any", given: {}, expect: "allow" }] };

/** What is wrong with these texts among all sources; nothing is loaded, and the ledger stays as it is. */
export async function findProblems(
  kernel: Pick<Kernel, "testPolicy">,
  sources: readonly PolicySource[],
  texts: readonly PolicyText[],
): Promise<PolicyProblem[]> {
  try {
    await kernel.testPolicy(sources, ANY_CASE);
    return [];
  } catch (error) {
    const problems = placeProblems(error, texts);
    if (problems.length === 0) throw error;
    return problems;
  }
}

/** Empty for an error that is about none of these files. */
export function placeProblems(error: unknown, texts: readonly PolicyText[]): PolicyProblem[] {
  const placed: PolicyProblem[] = texts.flatMap((text) => text.broken);
  if (!(error instanceof SysError) || error.code !== "EINVAL") return placed;
  for (const line of error.message.split("\n")) {
    const text = texts.find(({ file }) => line.startsWith(`${file}: `));
    if (text === undefined || text.broken.length > 0) continue;
    const said = line.slice(text.file.length + 2);
    const problem = placeOne(said, text);
    const last = placed.at(-1);
    if (problem !== undefined) placed.push(problem);
    // A message of more than one line points at a character of the one before.
    else if (last?.file === text.file) placed.splice(-1, 1, goOn(last, said));
    else placed.push({ file: text.file, line: 1, field: "", message: said });
  }
  return placed;
}

function placeOne(said: string, { file, lineOf }: PolicyText): PolicyProblem | undefined {
  const [, first, rest = "", message = ""] = FIELD.exec(said) ?? [];
  if (first === undefined) return undefined;
  // The kernel's word for the whole document.
  if (first === "policy" && rest === "") return { file, line: lineOf([]), field: "", message };
  return { file, line: lineOf(pathOf(first, rest)), field: first + rest, message };
}

const goOn = (problem: PolicyProblem, more: string): PolicyProblem => ({
  ...problem,
  message: `${problem.message}\n${more}`,
});

function pathOf(first: string, rest: string): FieldPath {
  const steps = [...rest.matchAll(/\[(\d+)\]|\.([^[\].]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? "") : Number(index),
  );
  return [first, ...steps];
}
