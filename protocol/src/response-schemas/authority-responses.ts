// The answers of protocol/src/authority.ts and policy-reports.ts.

import { z } from "zod";
import type {
  BacktestReport,
  CheckReport,
  HoldingReport,
  LedgerReport,
  PolicyReport,
  PowerReport,
  RevokeReport,
  SecretReport,
  SuggestReport,
  WhyReport,
} from "../authority.ts";
import type { PolicyProblem, PolicyTestResult } from "../policy-reports.ts";
import { colour, count, jsonValue, moment, named, names, seq, touch } from "./fields.ts";

const holding = named(
  "HoldingReport",
  z
    .strictObject({
      handle: z.string().describe("`birth`, or the handle under which it was granted."),
      block: z.string().describe("The id of its last block, to revoke it by."),
      capabilities: names,
      chain: z.array(
        z.strictObject({
          block: z.string(),
          holder: z.string(),
          revoked: z.boolean(),
          expiresAt: moment.nullable(),
          capabilities: z.array(z.strictObject({ text: z.string(), uses: count })),
        }),
      ),
      by: z.string(),
      givenAt: moment,
      expiresAt: moment.nullable(),
      state: z.enum(["held", "expired", "revoked"]),
      standing: z.string().nullable(),
      reason: z.string().nullable(),
      label: z.string().describe("What those who wrote its capabilities had read."),
    })
    .describe("One chain of capabilities that a process, or every process of an agent, holds."),
) satisfies z.ZodType<HoldingReport>;

export const powerReport = named(
  "PowerReport",
  z.strictObject({
    pid: z.string().nullable(),
    agent: z.string(),
    label: z.string().nullable(),
    colour: colour.nullable(),
    layers: names,
    holdings: z.array(holding),
  }),
) satisfies z.ZodType<PowerReport>;

export const checkReport = named(
  "CheckReport",
  z.strictObject({
    allow: z.boolean(),
    code: z.string().exactOptional(),
    reason: z.string().exactOptional(),
    hint: z.string().exactOptional(),
    detail: jsonValue.exactOptional(),
  }),
) satisfies z.ZodType<CheckReport>;

export const whyReport = named(
  "WhyReport",
  z.strictObject({
    pid: z.string(),
    seq,
    call: z.string(),
    args: jsonValue,
    outcome: z.enum(["allowed", "refused", "failed"]),
    code: z.string().exactOptional(),
    message: z.string().exactOptional(),
    detail: jsonValue.exactOptional(),
    verdict: z.string().exactOptional(),
    label: z.string(),
    touches: z.array(touch),
    blocks: z.array(z.strictObject({ block: z.string(), capability: z.string().nullable() })),
  }),
) satisfies z.ZodType<WhyReport>;

export const suggestReport = named(
  "SuggestReport",
  z.strictObject({
    of: z.string(),
    runs: count,
    calls: count,
    capabilities: names,
    tools: names,
    unused: names.describe("What is granted now and was never used."),
    manifest: z.string().describe("The manifest with these capabilities, as YAML."),
  }),
) satisfies z.ZodType<SuggestReport>;

export const revokeReport = named(
  "RevokeReport",
  z.strictObject({
    revoked: names,
    stopped: count.describe("Running calls that were stopped."),
  }),
) satisfies z.ZodType<RevokeReport>;

export const secretReport = named(
  "SecretReport",
  z.strictObject({
    name: z.string(),
    tenant: z.string(),
    bindings: z.array(jsonValue),
    updatedAt: moment,
  }),
) satisfies z.ZodType<SecretReport>;

export const ledgerReport = named(
  "LedgerReport",
  z.strictObject({
    node: z.string(),
    seq: count,
    at: moment,
    by: z.string(),
    what: z.string(),
    detail: jsonValue,
  }),
) satisfies z.ZodType<LedgerReport>;

export const policyReport = named(
  "PolicyReport",
  z.strictObject({ layers: z.array(jsonValue), loadedAt: moment }),
) satisfies z.ZodType<PolicyReport>;

export const policyProblem = named(
  "PolicyProblem",
  z.strictObject({ file: z.string(), line: count, field: z.string(), message: z.string() }),
) satisfies z.ZodType<PolicyProblem>;

export const policyTestResult = named(
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
) satisfies z.ZodType<PolicyTestResult>;

export const backtestReport = named(
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
) satisfies z.ZodType<BacktestReport>;
