// Cover: the narrowest capabilities that allow one action, for an "always" and for proposals of a refused process.
//
//   cover({touches, args})     one capability for each touched resource, or the reason why there is none
//
// COVER-1  A cover has the resource itself, one verb, and every argument pinned, without other arguments
//     (`args:pinned`). This holds for everything that the action touches: a file that one call may write is not open
//     to other calls.
// COVER-2  A cover is never widened: arguments that are too long or too deep to pin have none. A resource that no
//     pattern can spell is listed in `loose`.

import type { Touch } from "@aos/protocol";
import type { Constraints, ArgumentPin } from "./constraints.ts";
import { CapabilityError } from "./error.ts";
import { type Capability, formatCapability, parseCapability } from "./grammar.ts";
import { isObject, type PinValue } from "./json.ts";
import { isKind, type CapabilityKind, kindRow } from "./kinds.ts";
import { compile, readTarget } from "./pattern.ts";
import { exactPattern } from "./smallest-pattern.ts";

/** What the giver adds: `hold: use` keeps it from children, `max` and `expires` end it. */
export type CoverLimits = Pick<Constraints, "max" | "expires" | "hold" | "timeoutMs">;

export type Cover =
  | {
      readonly ok: true;
      readonly capabilities: readonly Capability[];
      /** Texts whose pattern covers more than the one resource. */
      readonly loose: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

export function cover(
  action: { readonly touches: readonly Touch[]; readonly args?: unknown },
  narrowing: CoverLimits = {},
): Cover {
  const { touches, args } = action;
  if (args !== undefined && !isObject(args))
    return { ok: false, why: "the arguments are not an object with named fields" };
  const constraints: Constraints =
    args === undefined ? narrowing : { ...narrowing, ...pinned(args) };
  const texts = new Map<string, Capability>();
  for (const touch of touches) {
    const capability = exactly(touch, constraints);
    if (typeof capability === "string") return { ok: false, why: capability };
    texts.set(formatCapability(capability), capability);
  }
  if (texts.size === 0)
    return { ok: false, why: "the call touches nothing that a capability covers" };
  const loose = [...texts].filter(([, { pattern }]) => pattern.text.includes("*"));
  return { ok: true, capabilities: [...texts.values()], loose: loose.map(([text]) => text) };
}

/** The narrowest capabilities for what is touched, whatever the arguments; none for what cannot be written. */
export function capabilitiesFor(touches: readonly Touch[]): string[] {
  return touches.flatMap((touch) => {
    const capability = exactly(touch, {});
    return typeof capability === "string" ? [] : [formatCapability(capability)];
  });
}

function pinned(args: Readonly<Record<string, unknown>>): Constraints {
  const pins: ArgumentPin[] = Object.keys(args)
    .sort()
    .map((name) => ({ name, value: args[name] as PinValue }));
  return pins.length === 0 ? { onlyPinned: true } : { onlyPinned: true, pins };
}

/** Read back from its text: what cannot be written cannot be given. */
function exactly({ kind, resource, verb }: Touch, constraints: Constraints): Capability | string {
  const problem = `no capability can be written for ${verb} on ${kind} ${resource}`;
  if (!isKind(kind) || !kindRow(kind).verbs.includes(verb)) return problem;
  const target = readTarget(kindRow(kind).shape, resource);
  if (target === null) return problem;
  try {
    const pattern = compile(kind satisfies CapabilityKind, exactPattern(target));
    return parseCapability(formatCapability({ kind, pattern, verbs: [verb], constraints }));
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
    return `${kind} ${resource} with these arguments cannot be written as a capability: ${error.problem}`;
  }
}
