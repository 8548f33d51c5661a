// Policy: what the operator rules, above any capability. Reading order: subject, policy-file, selectors,
// conditions, rule, layer, hearing, engine, policies. Other formats than policy.yaml: policy-formats/.

export { defaultPolicy } from "./default-policy.ts";
export { Policy } from "./engine.ts";
export { policyFileSchema } from "./policy-file.ts";
export type { ApprovalDemand, RateUse, Subject, Verdict } from "./subject.ts";
