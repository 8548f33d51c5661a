// From a text to a layer: the one way in for both formats.
//
//   compileLayer("organisation", { format: "policy", document, origin: "policy.yaml" }, known)
//
// It returns the layer, or throws PolicyProblems with every problem of the text and its place.

import { securityRules, readSignals } from "./security-rules.ts";
import { securityFileSchema } from "./security-md.ts";
import { isNoAction } from "./security-actions.ts";
import { Layer } from "./layer.ts";
import { policyFileSchema } from "./policy-file.ts";
import { ProblemList } from "./problem.ts";
import { RuleReader } from "./rule-text.ts";
import type { KnownNames } from "./selectors.ts";

export interface PolicyDocument {
  readonly format: "policy" | "security.md";
  /** As the YAML was read: plain JSON values. */
  readonly document: unknown;
  /** Where it was read, for people. */
  readonly origin: string;
}

export function compileLayer(name: string, source: PolicyDocument, known: KnownNames): Layer {
  return source.format === "policy"
    ? compilePolicyFile(name, source, known)
    : compileSecurityFile(name, source, known);
}

function compilePolicyFile(name: string, source: PolicyDocument, known: KnownNames): Layer {
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

function compileSecurityFile(name: string, source: PolicyDocument, known: KnownNames): Layer {
  const problems = new ProblemList();
  const file = problems.parse(securityFileSchema, source.document);
  problems.done();
  const rules = securityRules(file!, known, problems);
  const signals = readSignals(file!, problems);
  problems.done();
  const { origin } = source;
  const { mode } = file!.kernel;
  return new Layer({ name, origin, rules, mode, signals, labels: [], isFree: isNoAction });
}
