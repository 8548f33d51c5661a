// Policy: what the operator rules, above any capability. Reading order: subject, policy-file, selectors,
// conditions, rule, layer, hearing, engine; then security-md and what it becomes.

export { PolicyComparer } from "./backtest.ts";
export { compileLayer } from "./compile.ts";
export { defaultPolicy } from "./default-policy.ts";
export { Policy } from "./engine.ts";
export { policyFileSchema } from "./policy-file.ts";
export { policyTestsSchema, runPolicyTests } from "./policy-tests.ts";
export { fieldOf, PolicyProblems } from "./problem.ts";
export { Rates, type BucketState } from "./rates.ts";
export { frontMatter, securityFileSchema } from "./security-md.ts";
export type { KnownNames } from "./selectors.ts";
export type { ApprovalDemand, RateUse, Subject, Verdict } from "./subject.ts";
