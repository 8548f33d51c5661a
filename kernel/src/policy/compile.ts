// From policy.yaml to a layer. Texts in other formats are read in policy-formats/.
//
//   compilePolicyFile("organisation", { document, origin: "policy.yaml" }, known)
//
// It returns the layer, or throws PolicyProblems with every problem of the text and its place.

import { Layer } from "./layer.ts";
import { policyFileSchema } from "./policy-file.ts";
import { ProblemList } from "./problem.ts";
import { RuleReader } from "./rule-text.ts";
import type { KnownNames } from "./selectors.ts";

export interface PolicyDocument {
  /** As the YAML was read: plain JSON values. */
  readonly document: unknown;
  /** Where it was read, for people. */
  readonly origin: string;
}

export function compilePolicyFile(name: string, source: PolicyDocument, known: KnownNames): Layer {
  const problems = new ProblemList();
  const file = problems.parse(policyFileSchema, source.document);
  problems.done();
  const reader = new RuleReader(name, known, problems);
  const rules = reader.rules(file!);
  const labels = reader.labels(file!);
  problems.done();
  const { origin } = source;
  const isFree = (): boolean => false;
  return new Layer({ name, origin, rules, labels, mode: "enforce", signals: undefined, isFree });
}
