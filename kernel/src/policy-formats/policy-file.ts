// The operator's policy file (policy.yaml): its schema. docs/policy.md shows every key. What a key
// means is compiled in rule-text.ts; what is not in the schema is refused.

import { z } from "zod";

const selectors = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
  error: 'a selector, or a list of them, like "exec" or ["read", "tool:mail.*"]',
});
const condition = z.string().min(1);
const name = z.string().regex(/^[A-Za-z0-9._-]+$/, "letters, digits, dot, dash and underscore");
const names = z.array(z.string().min(1)).min(1);

export const ruleSchema = z.strictObject({
  id: name.max(100),
  allow: selectors.optional(),
  deny: selectors.optional(),
  ask: selectors.optional(),
  kill: selectors.optional(),
  shadow: z.enum(["deny", "ask", "kill"]).optional(),
  /** What a shadow rule speaks of. */
  of: selectors.optional(),
  agents: names.optional(),
  tenants: names.optional(),
  when: condition.optional(),
  after: z
    .union([selectors, z.strictObject({ match: selectors, when: condition.optional() })])
    .optional(),
  say: z.string().min(1).max(500).optional(),
  channel: z.string().min(1).optional(),
  quorum: z.number().int().min(1).max(100).optional(),
  expires: z.string().optional(),
  everyTime: z.boolean().optional(),
  rate: z.string().optional(),
  constraints: z
    .strictObject({
      timeout: z.string().optional(),
      maxBytes: z.union([z.string(), z.number().int().nonnegative()]).optional(),
      dryRun: z.boolean().optional(),
      log: z.boolean().optional(),
    })
    .optional(),
});

export const policyFileSchema = z.strictObject({
  version: z.literal(1),
  rules: z.array(ruleSchema).min(1, "the policy is empty"),
  labels: z.array(z.strictObject({ of: selectors, label: z.string().min(1) })).optional(),
});

export type RuleText = z.infer<typeof ruleSchema>;
export type PolicyFile = z.infer<typeof policyFileSchema>;
