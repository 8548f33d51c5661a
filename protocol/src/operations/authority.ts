// Operations about capabilities: holdings, decisions of the gate and their reasons, and capability tokens.

import { z } from "zod";
import {
  byPid,
  capabilities,
  countArgument,
  durationMs,
  holder,
  jsonArgument,
  token,
} from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import {
  colour,
  count,
  jsonValue,
  moment,
  named,
  names,
  seq,
  text,
  touch,
} from "./response-fields.ts";

const holding = named(
  "HoldingReport",
  z
    .strictObject({
      handle: z.string().describe("`birth`, or the handle under which it was granted."),
      block: z.string().describe("The id of its last block, to revoke it by."),
      capabilities: names,
      /** Every block of the chain, outermost first, with what was used of each capability. */
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
      /** The rule that a person answered with "always". */
      standing: z.string().nullable(),
      reason: z.string().nullable(),
      label: z.string().describe("The label of those who wrote its capabilities."),
    })
    .describe("One chain of capabilities that a process, or every process of an agent, holds."),
);
export type HoldingReport = ReportOf<typeof holding>;

const powerReport = named(
  "PowerReport",
  z.strictObject({
    pid: z.string().nullable(),
    agent: z.string(),
    label: z.string().nullable(),
    colour: colour.nullable(),
    layers: names,
    holdings: z.array(holding),
  }),
);
export type PowerReport = ReportOf<typeof powerReport>;

const checkReport = named(
  "CheckReport",
  z.strictObject({
    allow: z.boolean(),
    code: z.string().exactOptional(),
    reason: z.string().exactOptional(),
    hint: z.string().exactOptional(),
    /** The check that decided, the nearest grant or rule, the smallest grant that would allow it. */
    detail: jsonValue.exactOptional(),
  }),
);
export type CheckReport = ReportOf<typeof checkReport>;

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
    /** Who approved, which shadow rules spoke, what was noted. */
    verdict: z.string().exactOptional(),
    label: z.string(),
    touches: z.array(touch),
    /** For each touch, the blocks of the chain that speak of it. */
    blocks: z.array(z.strictObject({ block: z.string(), capability: z.string().nullable() })),
  }),
);
export type WhyReport = ReportOf<typeof whyReport>;

const suggestReport = named(
  "SuggestReport",
  z.strictObject({
    of: z.string(),
    runs: count,
    calls: count,
    capabilities: names,
    tools: names,
    unused: names.describe("Current grants that were never used."),
    manifest: z.string().describe("The manifest with these capabilities, as YAML."),
  }),
);
export type SuggestReport = ReportOf<typeof suggestReport>;

const revokeReport = named(
  "RevokeReport",
  z.strictObject({
    revoked: names,
    stopped: count.describe("Running calls that were stopped."),
  }),
);
export type RevokeReport = ReportOf<typeof revokeReport>;

const tokenBody = z.strictObject({
  capabilities: capabilities.min(1),
  expiresInMs: durationMs.optional(),
  holder: z.string().min(1).max(200).optional(),
});

export const authorityOperations = {
  power: operation({
    method: "GET",
    path: "/power",
    summary: "Show the capabilities of a process, or of every process of an agent.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject(holder),
    response: powerReport,
  }),

  grant: operation({
    method: "POST",
    path: "/grants",
    summary: "Grant capabilities to a process, or to every process of an agent from now on.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      ...holder,
      /** Or a token that has them. */
      capabilities: capabilities.optional(),
      token: token.optional(),
      expiresInMs: durationMs.optional(),
      reason: z.string().max(1000).optional().describe("the reason; it is recorded"),
    }),
    response: z.strictObject({ handle: text, block: text }),
  }),

  revoke: operation({
    method: "POST",
    path: "/grants/revoke",
    summary: "Revoke a grant or a token, by handle, block or token id.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({ id: z.string().min(1).max(200) }),
    response: revokeReport,
  }),

  check: operation({
    method: "POST",
    path: "/processes/:pid/check",
    summary: "Show whether the gate would allow a call, without making it.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({ call: z.string().min(1).max(100), args: jsonArgument.optional() }),
    response: checkReport,
  }),

  why: operation({
    method: "GET",
    path: "/processes/:pid/why",
    summary: "Say why a recorded call was allowed or refused.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: z.strictObject({ seq: countArgument.optional() }),
    response: whyReport,
  }),

  suggest: operation({
    method: "GET",
    path: "/suggestions",
    summary: "Write the smallest manifest that allows every recorded call.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({
      ...holder,
      widen: z
        .enum(["none", "folder"])
        .optional()
        .describe("folder: whole folders instead of single files"),
    }),
    response: suggestReport,
  }),

  mintToken: operation({
    method: "POST",
    path: "/tokens",
    summary: "Create a token that carries capabilities.",
    role: "operator",
    reach: "machine",
    body: tokenBody.extend({
      signed: z
        .boolean()
        .optional()
        .describe("sign it, so that anyone with the public key can verify it"),
    }),
    isSecret: true,
    response: z.strictObject({ token: text, ids: names }),
  }),

  verifyToken: operation({
    method: "POST",
    path: "/tokens/verify",
    summary: "Show the capabilities of a token and whether it is valid.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({ token }),
    response: jsonValue,
  }),

  attenuateToken: operation({
    method: "POST",
    path: "/tokens/attenuate",
    summary: "Add a block that narrows a token.",
    role: "operator",
    reach: "machine",
    body: tokenBody.extend({ token }),
    isSecret: true,
    response: z.strictObject({ token: text }),
  }),
} as const;
