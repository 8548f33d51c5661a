// From a text to a layer: the one way in for both formats.
//
//   compileLayer("organisation", { format: "policy", document, origin: "policy.yaml" }, known)
//
// It returns the layer, or throws PolicyProblems with every problem of the text and its place.

import { securityRules, readSignals } from "./security-rules.ts";
import { securityFileSchema } from "./security-md.ts";
import { isNoAction } from "./security-actions.ts";
import { compilePolicyFile } from "./policy-yaml.ts";
import type { PolicyDocument } from "../policy/policies.ts";
import { Layer } from "../policy/layer.ts";
import { ProblemList } from "./problem-list.ts";
import type { KnownNames } from "../policy/selectors.ts";

export interface FormattedText extends PolicyDocument {
  readonly format: "policy" | "security.md";
}

export function compileLayer(name: string, source: FormattedText, known: KnownNames): Layer {
  return source.format === "policy"
    ? compilePolicyFile(name, source, known)
    : compileSecurityFile(name, source, known);
}

function compileSecurityFile(name: string, source: FormattedText, known: KnownNames): Layer {
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
