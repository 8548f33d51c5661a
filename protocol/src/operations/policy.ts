// Operations about the policy: the rules in force, checks, tests and backtests.

import { z } from "zod";
import { durationMs, textFile } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, jsonValue, moment, named, names, seq } from "./response-fields.ts";

const policyReport = named(
  "PolicyReport",
  z.strictObject({ layers: z.array(jsonValue), loadedAt: moment }),
);
export type PolicyReport = ReportOf<typeof policyReport>;

const policyProblem = named(
  "PolicyProblem",
  z.strictObject({ file: z.string(), line: count, field: z.string(), message: z.string() }),
);
export type PolicyProblem = ReportOf<typeof policyProblem>;

const policyTestResult = named(
  "PolicyTestResult",
  z.strictObject({
    name: z.string(),
    ok: z.boolean(),
    expected: z.strictObject({
      effect: z.string(),
      rule: z.string().exactOptional(),
      tags: names.exactOptional(),
    }),
    got: z.strictObject({ effect: z.string(), rule: z.string(), tags: names }),
  }),
);
export type PolicyTestResult = ReportOf<typeof policyTestResult>;

const backtestReport = named(
  "BacktestReport",
  z.strictObject({
    since: moment,
    runs: count,
    calls: count,
    changed: count,
    changes: z.array(
      z.strictObject({
        pid: z.string(),
        seq,
        at: moment,
        agent: z.string(),
        call: z.string(),
        tool: z.string().nullable(),
        from: z.string(),
        to: z.string(),
        rule: z.string(),
      }),
    ),
  }),
);
export type BacktestReport = ReportOf<typeof backtestReport>;

/** A problem of a policy text, by its place in the document: in the `detail` of the kernel's refusal. */
export interface PolicyFlaw {
  readonly origin: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export const policyOperations = {
  policy: operation({
    method: "GET",
    path: "/policy",
    summary: "Show the policy in force, layer by layer.",
    role: "viewer",
    reach: "machine",
    response: policyReport,
  }),

  checkPolicy: operation({
    method: "POST",
    path: "/policy/check",
    summary: "Check policy files and list every problem.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({ files: z.array(textFile).min(1).max(1000) }),
    response: z.strictObject({ ok: z.boolean(), problems: z.array(policyProblem) }),
  }),

  testPolicy: operation({
    method: "POST",
    path: "/policy/test",
    summary: "Run the tests beside a policy (policy.test.yaml).",
    role: "operator",
    reach: "machine",
    body: z.strictObject({ policy: textFile, tests: textFile }),
    response: z.strictObject({ ok: z.boolean(), cases: z.array(policyTestResult) }),
  }),

  reloadPolicy: operation({
    method: "POST",
    path: "/policy/reload",
    summary: "Reload the policy files; if one has a problem, the old policy stays in force.",
    role: "operator",
    reach: "machine",
    response: policyReport,
  }),

  backtestPolicy: operation({
    method: "POST",
    path: "/policy/backtest",
    summary: "Show which recorded calls this policy would have decided differently.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({ policy: textFile, sinceMs: durationMs }),
    reportsProgress: true,
    response: backtestReport,
  }),
} as const;
