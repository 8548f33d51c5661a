// Operations about project folders that are trusted: a part of the rows (operations.ts).

import { z } from "zod";
import { folder, tenant } from "./operation-fields.ts";
import { takes } from "./operation-row.ts";

/** A folder that somebody trusted. */
export interface TrustedReport {
  /** Its real path. */
  readonly folder: string;
  readonly tenant: string;
  /** sha256 over everything in it that has power. */
  readonly digest: string;
  /** ISO 8601. */
  readonly trustedAt: string;
  readonly trustedBy: string;
  /** `changed`: it has no power until it is trusted again. */
  readonly state: "trusted" | "changed";
}

/** Something of a folder that has power once the folder is trusted. */
export interface TrustPower {
  readonly kind:
    | "agent"
    | "mcp server"
    | "policy"
    | "tool"
    | "skill"
    | "instructions"
    | "test"
    | "program"
    | "file";
  readonly name: string;
  /** What it may do, a line each. */
  readonly detail: readonly string[];
}

export interface TrustLook {
  readonly folder: string;
  readonly tenant: string;
  /** `nothing`: there is nothing in it that has power. */
  readonly state: "trusted" | "changed" | "untrusted" | "nothing";
  readonly digest: string;
  readonly powers: readonly TrustPower[];
  /** Since it was trusted last. */
  readonly changes: readonly { readonly path: string; readonly what: "new" | "changed" | "gone" }[];
  /** Why it cannot be trusted as it is. */
  readonly problems: readonly string[];
}

const place = { folder, tenant: tenant.optional() };

export const trustOperations = {
  trustedFolders: takes().answers<TrustedReport[]>(),
  lookAtFolder: takes({
    /** With `isProject` the project that the folder is in. */
    body: z.strictObject({ ...place, isProject: z.boolean().optional() }),
  }).answers<TrustLook>(),
  trustFolder: takes({
    /** The digest that somebody looked at: another one is refused. */
    body: z.strictObject({ ...place, digest: z.string().regex(/^[0-9a-f]{64}$/) }),
  }).answers<TrustedReport>(),
  distrustFolder: takes({ body: z.strictObject(place) }).answers<TrustedReport>(),
} as const;
