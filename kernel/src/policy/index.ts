// Policy: what the operator rules, above any capability. Reading order: subject, selectors, condition, rule,
// layer, policy-decision, engine, policies. How a text becomes rules is in policy-formats/.

export { Policy } from "./engine.ts";
export type { ApprovalDemand, RateUse, Subject, Verdict } from "./subject.ts";
