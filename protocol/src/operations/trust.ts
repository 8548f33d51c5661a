// Operations about trusted project folders.

import { z } from "zod";
import { folder, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { moment, named, names } from "./response-fields.ts";

const trustedReport = named(
  "TrustedReport",
  z.strictObject({
    folder: z.string().describe("Its real path."),
    tenant: z.string(),
    digest: z.string().describe("sha256 over everything in it that has power."),
    trustedAt: moment,
    trustedBy: z.string(),
    /** `changed`: it has no power until it is trusted again. */
    state: z.enum(["trusted", "changed"]),
  }),
);
export type TrustedReport = ReportOf<typeof trustedReport>;

const trustLook = named(
  "TrustLook",
  z.strictObject({
    folder: z.string(),
    tenant: z.string(),
    /** `nothing`: there is nothing in it that has power. */
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
    /** Since it was trusted last. */
    changes: z.array(
      z.strictObject({ path: z.string(), what: z.enum(["new", "changed", "gone"]) }),
    ),
    /** Why it cannot be trusted as it is. */
    problems: names,
  }),
);
export type TrustPreview = ReportOf<typeof trustLook>;

/** Something of a folder that has power once the folder is trusted. */
export type TrustPower = TrustPreview["powers"][number];

const place = { folder, tenant: tenant.optional() };

export const trustOperations = {
  trustedFolders: operation({
    method: "GET",
    path: "/trust",
    summary: "List the project folders that are trusted, and whether they have changed.",
    role: "viewer",
    reach: "machine",
    response: z.array(trustedReport),
  }),

  lookAtFolder: operation({
    method: "POST",
    path: "/trust/look",
    summary: "Show the permissions that a project folder asks for, and whether it is trusted.",
    role: "operator",
    reach: "machine",
    body:
      /** With `isProject` the project that the folder is in. */
      z.strictObject({ ...place, isProject: z.boolean().optional() }),
    response: trustLook,
  }),

  trustFolder: operation({
    method: "POST",
    path: "/trust",
    summary: "Trust a project folder in the state that was reviewed.",
    role: "operator",
    reach: "machine",
    body:
      /** The digest that somebody looked at: another one is refused. */
      z.strictObject({ ...place, digest: z.string().regex(/^[0-9a-f]{64}$/) }),
    response: trustedReport,
  }),

  distrustFolder: operation({
    method: "POST",
    path: "/trust/remove",
    summary: "Revoke the trust of a project folder, and stop its servers.",
    role: "operator",
    reach: "machine",
    body: z.strictObject(place),
    response: trustedReport,
  }),
} as const;
