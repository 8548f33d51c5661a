// Selectors: which calls a rule is about.
//
//   exec  tool:mcp.github.*  model:anthropic/*  pipe:digest/*  agent:helper  file:/work/**:read
//   sink:egress  effect:external  *
//
// SELECTORS-2  A restricting selector matches if any touched resource matches, and also if a resource cannot be read;
//     a permitting one covers only what it can read (coverage.ts).
// SELECTORS-3  In a restricting selector a host without a port means every port, and `http:*` every host.

import type { Sink, Touch } from "@aos/protocol";
import { isKind, type CapabilityKind, kindRow } from "../capability/kinds.ts";
import { covers, type Pattern, readTarget, type PatternTarget } from "../capability/pattern.ts";
import type { Subject } from "./subject.ts";

export const effects = ["read", "idempotent", "external"] as const;

export type Selector =
  | { readonly by: "all" }
  | { readonly by: "call"; readonly call: string }
  | { readonly by: "tool" | "model" | "pipe"; readonly pattern: Pattern }
  | { readonly by: "sink"; readonly sink: Sink }
  | { readonly by: "effect"; readonly effect: Subject["effect"] }
  | ResourceSelector;

export interface ResourceSelector {
  readonly by: "resource";
  readonly kind: CapabilityKind;
  readonly pattern: Pattern;
  readonly verbs: readonly string[];
}

/** The names that a policy may use, of what is there when it is loaded. */
export interface KnownNames {
  /** `has` is also true for names, and patterns of names, of tools that may come to be. */
  readonly tools: ReadonlySet<string>;
  readonly agents?: (name: string) => boolean;
  readonly channels: ReadonlySet<string>;
}

/** What selectors are about; a source has no more than what it touches and the tool. */
type Spoken = Pick<Subject, "tool"> & Partial<Subject>;

/** A touch whose resource was read once, to be held against many selectors. */
export interface TouchedResource {
  readonly touch: Touch;
  /** Null when it cannot be read: then no pattern covers it, and any could. */
  readonly target: PatternTarget | null;
}

export const touchedBy = (touches: readonly Touch[]): readonly TouchedResource[] =>
  touches.map((touch) => ({
    touch,
    target: isKind(touch.kind) ? readTarget(kindRow(touch.kind).shape, touch.resource) : null,
  }));

/** Does a rule that takes power away speak of this call? */
export function speaksOf(
  selector: Selector,
  subject: Spoken,
  touched: readonly TouchedResource[],
): boolean {
  switch (selector.by) {
    case "all":
      return true;
    case "call":
      return selector.call === subject.call;
    case "tool":
    case "model":
    case "pipe": {
      const name = namedBy(selector.by, subject);
      return name !== undefined && couldCoverName(selector.pattern, name);
    }
    case "sink":
      return subject.sinks?.includes(selector.sink) === true;
    case "effect":
      return selector.effect === subject.effect;
    case "resource":
      return touched.some(
        ({ touch, target }) =>
          touch.kind === selector.kind &&
          selector.verbs.includes(touch.verb) &&
          couldCover(selector.pattern, target),
      );
  }
}

/** What a selector of names is about. */
export const namedBy = (by: "tool" | "model" | "pipe", subject: Spoken): string | undefined =>
  by === "pipe" ? subject.edge : subject[by];

export const couldCoverName = (pattern: Pattern, name: string): boolean =>
  couldCover(pattern, readTarget("name", name));

/** Also what cannot be read, and hosts at any port. */
function couldCover(pattern: Pattern, target: PatternTarget | null): boolean {
  if (target === null || isEveryHost(pattern) || covers(pattern, target)) return true;
  return (
    target.shape === "host" && covers(pattern, { shape: "host", host: { ...target.host, port: 0 } })
  );
}

/** Here `http:*` is every host: that addresses are granted by name is for capabilities to hold. */
const isEveryHost = ({ text }: Pattern): boolean => text === "*/**";

/** Is it covered for sure? For rules that give power: what cannot be read is not. */
export function surelyCovers(
  { kind, verbs, pattern }: ResourceSelector,
  { touch, target }: TouchedResource,
): boolean {
  if (touch.kind !== kind || !verbs.includes(touch.verb) || target === null) return false;
  return isEveryHost(pattern) || covers(pattern, target);
}
