// What the kernel has against a policy, at the lines where it is written.
//
// The kernel has its problems in `detail`; we gave it each file's name as its origin.

import type { Kernel } from "@aos/kernel";
import { SysError, type PolicyFlaw, type PolicyProblem } from "@aos/protocol";
import { fieldName } from "../yaml-file.ts";
import type { PolicyLayerSource, PolicyText } from "./policy-text.ts";

/** A case whose verdict nobody looks at: what counts is whether the kernel can read the policy. */
const ANY_CASE = { cases: [{ name: "any", given: {}, expect: "allow" }] };

/** What is wrong with these texts among all sources; nothing is loaded, and the ledger stays as it is. */
export async function findPolicyProblems(
  kernel: Pick<Kernel, "testPolicy">,
  sources: readonly PolicyLayerSource[],
  texts: readonly PolicyText[],
): Promise<PolicyProblem[]> {
  try {
    await kernel.testPolicy(sources, ANY_CASE);
    return [];
  } catch (error) {
    const problems = problemLines(error, texts);
    if (problems.length === 0) throw error;
    return problems;
  }
}

/** Empty for an error that is about none of these files. */
export function problemLines(error: unknown, texts: readonly PolicyText[]): PolicyProblem[] {
  const placed: PolicyProblem[] = texts.flatMap((text) => text.broken);
  if (!(error instanceof SysError) || error.code !== "EINVAL") return placed;
  for (const { origin, path, message } of flawsOf(error)) {
    const text = texts.find(({ file }) => file === origin);
    if (text === undefined || text.broken.length > 0) continue;
    placed.push({ file: origin, line: text.lineOf(path), field: fieldName(path), message });
  }
  return placed;
}

const flawsOf = ({ detail }: SysError): readonly PolicyFlaw[] =>
  (detail as { readonly problems?: readonly PolicyFlaw[] } | undefined)?.problems ?? [];
