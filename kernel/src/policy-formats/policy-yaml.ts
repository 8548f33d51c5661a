// From policy.yaml to a layer.
//
//   compilePolicyFile("organisation", { document, origin: "policy.yaml" }, known)
//
// It returns the layer, or throws PolicyProblems with every problem of the text and its place.

import { Layer } from "../policy/layer.ts";
import { policyFileSchema } from "./policy-file.ts";
import { ProblemList } from "./problem-list.ts";
import { RuleReader } from "./rule-text.ts";
import type { PolicyDocument } from "../policy/policies.ts";
import type { KnownNames } from "../policy/selectors.ts";

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
