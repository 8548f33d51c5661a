// Tenants: their names and ceilings.
//
// TENANT-1  A tenant name follows the rules of agent names; anything else is refused wherever it enters.
// TENANT-2  A ceiling is a list of capabilities. `default` is the shipped list (for the tenant `default`, the
//           operator's own, no ceiling); `none` is no ceiling.

import { SysError } from "./failures.ts";

/** As agents are named. */
const TENANT_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
export const TENANT_NAME_RULE = "1 to 63 of a-z 0-9 . _ -, starting with a letter or digit";

export const isTenantName = (text: string): boolean => TENANT_NAME.test(text);

/** EINVAL for what is no name; what was given is shown so that it cannot break a line. */
export function checkTenantName(name: string): void {
  if (isTenantName(name)) return;
  throw new SysError("EINVAL", `${JSON.stringify(name.slice(0, 80))} is not the name of a tenant`, {
    hint: `a tenant is named with ${TENANT_NAME_RULE}`,
  });
}

/** What the operator said of a tenant's ceiling. */
export interface CeilingSetting {
  /** What replaces the list that ships. */
  readonly ceiling?: "default" | "none" | readonly string[];
  /** What is added to it. */
  readonly allow?: readonly string[];
}

/** A change of a ceiling. */
export interface CeilingChange extends CeilingSetting {
  /** Taken out again, by their canonical texts. */
  readonly remove?: readonly string[];
}

/** What a tenant's ceiling says of its programs: they run in the sandbox or not at all. */
export interface ProgramConfinement {
  readonly tenant: string;
  /** Whether the ceiling covers reading this path of the machine. */
  mayRead(path: string): boolean;
}
