// Checks what a kernel is booted with.
//
// CHECK-OPTIONS-1  An unknown name within limits, admission, retention or approvals is refused: a misspelt limit
//     never means the default.
// CHECK-OPTIONS-2  A limit is a number of at least 0; where it is undefined, the default holds.

import { SysError } from "@aos/protocol";
import {
  defaultAdmission,
  defaultApprovals,
  defaultLimits,
  defaultRetention,
  type KernelOptions,
} from "../options.ts";

const GROUPS = {
  limits: defaultLimits,
  admission: defaultAdmission,
  retention: defaultRetention,
  approvals: defaultApprovals,
} as const;

const TIMES = ["unloadAfterMs", "leaseMs", "patrolRestMs"] as const;

/** Throws EINVAL at the first option that cannot be meant. */
export function checkOptions(options: KernelOptions): void {
  for (const [group, defaults] of Object.entries(GROUPS)) {
    const given = (options[group as keyof typeof GROUPS] ?? {}) as Record<string, unknown>;
    mustKnow(group, Object.keys(given), defaults);
    for (const [name, value] of Object.entries(given))
      if (typeof defaults[name as never] === "number") mustBeLimit(`${group}.${name}`, value);
  }
  for (const name of TIMES) mustBeLimit(name, options[name]);
  const { durability, store = "memory" } = options;
  if (
    store !== "memory" &&
    !isText((store as { file?: unknown }).file) &&
    !isText((store as { url?: unknown }).url)
  )
    throw new SysError("EINVAL", 'store is "memory", { file } or { url }');
  if (durability !== undefined && durability !== "visible" && durability !== "every-call")
    throw new SysError(
      "EINVAL",
      `durability is "visible" or "every-call", not ${shown(durability)}`,
    );
}

/** CHECK-OPTIONS-2. */
export function withDefaults<T extends object>(defaults: T, given: Partial<T> = {}): T {
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...(Object.fromEntries(said) as Partial<T>) };
}

/** CHECK-OPTIONS-1. */
function mustKnow(group: string, names: readonly string[], known: object): void {
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  throw new SysError("EINVAL", `unknown option ${group}.${unknown}`, {
    hint: `the options of ${group} are: ${Object.keys(known).join(", ")}`,
  });
}

function mustBeLimit(name: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && value >= 0)) return;
  throw new SysError("EINVAL", `${name} is a number of at least 0, not ${shown(value)}`);
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

const shown = (value: unknown): string => JSON.stringify(value) ?? typeof value;
