// security.md 1.0: its schema, and where its YAML is in the text. `.agents/security.md` is YAML, or
// Markdown with YAML in front. What it means is in security-rules.ts.

import { z } from "zod";

const constraints = z.strictObject({
  /** Every use is noted in the record. */
  log: z.boolean().optional(),
  dry_run: z.boolean().optional(),
  timeout: z.union([z.string(), z.number().positive()]).optional(),
  max_bytes: z.union([z.string(), z.number().int().nonnegative()]).optional(),
  max_cost_usd: z.number().nonnegative().optional(),
  allowed_hosts: z.array(z.string().min(1)).optional(),
  allowed_paths: z.array(z.string().min(1)).optional(),
  allowed_tools: z.array(z.string().min(1)).optional(),
});

const policy = z.strictObject({
  action: z.string().min(1),
  effect: z.enum(["allow", "deny"]),
  mode: z.enum(["read_only", "read_write"]).optional(),
  requires_approval: z.boolean().optional(),
  rate_limit: z.string().optional(),
  constraints: constraints.optional(),
});

export const securityFileSchema = z.strictObject({
  kernel: z.strictObject({
    /** `1.0` without quotes is the number 1. */
    version: z.union([z.literal("1.0"), z.literal(1)], { error: 'the version is "1.0"' }),
    mode: z.enum(["strict", "permissive", "audit"]),
  }),
  signals: z.array(z.string()),
  policies: z.array(policy).min(1, "the policy is empty"),
  /** Accepted: all three are always kept. */
  observability: z
    .strictObject({
      metrics: z.boolean().optional(),
      traces: z.boolean().optional(),
      flight_recorder: z.boolean().optional(),
    })
    .optional(),
});

export type SecurityFile = z.infer<typeof securityFileSchema>;
export type SecurityPolicy = SecurityFile["policies"][number];

const FENCE = /^---[ \t]*$/;

/**
 * The YAML of the text, at the lines where it stands. Between two lines of `---` at the beginning, it
 * is front matter; without a second one, all of the text is YAML.
 */
export function frontMatter(text: string): string {
  const lines = text.replace(/^\u{feff}/u, "").split(/\r?\n/);
  const [first, end] = lines.flatMap((line, i) => (FENCE.test(line) ? [i] : []));
  const before = lines.slice(0, first);
  if (end === undefined || before.some((line) => line.trim() !== "")) return lines.join("\n");
  return [...before, "", ...lines.slice(first! + 1, end)].join("\n");
}
