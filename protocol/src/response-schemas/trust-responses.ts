// The answers of protocol/src/trust-operations.ts: project folders that are trusted.

import { z } from "zod";
import type { TrustedReport, TrustLook } from "../trust-operations.ts";
import { moment, named, names } from "./fields.ts";

export const trustedReport = named(
  "TrustedReport",
  z.strictObject({
    folder: z.string().describe("Its real path."),
    tenant: z.string(),
    digest: z.string().describe("sha256 over everything in it that has power."),
    trustedAt: moment,
    trustedBy: z.string(),
    state: z.enum(["trusted", "changed"]),
  }),
) satisfies z.ZodType<TrustedReport>;

export const trustLook = named(
  "TrustLook",
  z.strictObject({
    folder: z.string(),
    tenant: z.string(),
    state: z.enum(["trusted", "changed", "untrusted", "nothing"]),
    digest: z.string(),
    powers: z.array(
      z.strictObject({
        kind: z.enum([
          "agent",
          "mcp server",
          "policy",
          "tool",
          "skill",
          "instructions",
          "test",
          "program",
          "file",
        ]),
        name: z.string(),
        detail: names,
      }),
    ),
    changes: z.array(
      z.strictObject({ path: z.string(), what: z.enum(["new", "changed", "gone"]) }),
    ),
    problems: names,
  }),
) satisfies z.ZodType<TrustLook>;
