// Reach: what a call may touch while it runs, as shown with the question. An approval covers it for one call.
//
//   reachOf(process, action, nowMs)     capabilities: hosts, secrets, folders
//   isShown(touch, action, reach)       whether a touch is among what was shown
//
// REACH-1  A call that names its hosts reaches those, and addresses that are granted by number, since a granted name
//     may resolve to one. A call that names none and has egress may reach every granted host.
// REACH-2  It widens nothing: each touch still needs its own capability.

import type { Touch } from "@aos/protocol";
import {
  type Capability,
  formatCapability,
  type Holdings,
  type CapabilityKind,
  parseCapability,
} from "../capability/index.ts";
import { matches } from "../capability/pattern.ts";
import type { Process } from "../process/process.ts";
import type { Action } from "./action.ts";
import { argsOf } from "./subject.ts";

/** A redirect after a POST is followed by a GET. */
const AFTER_REDIRECT = ["get", "head"];
const ADDRESS = /^(?:\[|\d+\.\d+\.\d+\.\d+(?:[:/]|$)|localhost(?:[:/]|$))/;

export function reachOf(
  { holdings, place }: Pick<Process, "holdings" | "place">,
  action: Action,
): readonly Capability[] {
  const texts = new Set<string>();
  const { tool, touches } = action;
  for (const { kind, resource, verb } of tool?.mayTouch?.(argsOf(action), place) ?? [])
    texts.add(`${kind}:${resource}:${verb}`);
  const named = touches.filter(({ kind }) => kind === "http");
  for (const { resource, verb } of named)
    texts.add(
      `http:${resource.split("/", 1)[0]}/**:${[...new Set([verb, ...AFTER_REDIRECT])].join(",")}`,
    );
  if (action.sinks.includes("egress")) {
    const isReached = ({ pattern }: Capability) => named.length === 0 || ADDRESS.test(pattern.text);
    for (const one of heldOf(holdings, "http")) if (isReached(one)) texts.add(plainText(one));
    if (named.length === 0)
      for (const one of heldOf(holdings, "browser")) texts.add(plainText(one));
    // A tool of somebody else may ask for any secret that the process holds.
    if (tool?.source !== undefined && !touches.some(({ kind }) => kind === "secret"))
      for (const one of heldOf(holdings, "secret")) texts.add(plainText(one));
  }
  return [...texts].map(parseCapability).toSorted(byText);
}

export const isShown = (
  touch: Touch,
  { touches }: Pick<Action, "touches">,
  reach: readonly Capability[],
): boolean =>
  touches.some(
    ({ kind, resource, verb }) =>
      kind === touch.kind && resource === touch.resource && verb === touch.verb,
  ) ||
  reach.some(
    ({ kind, verbs, pattern }) =>
      kind === touch.kind && verbs.includes(touch.verb) && matches(pattern, touch.resource),
  );

/** What the last block of each chain says: those above can only narrow it, and are asked at the touch. */
const heldOf = (holdings: Holdings, kind: CapabilityKind): Capability[] =>
  [...holdings].flatMap(({ block }) =>
    (block.byKind.get(kind) ?? [])
      .map(({ capability }) => capability)
      .filter(({ constraints }) => constraints.hold !== "grant"),
  );

const plainText = (capability: Capability): string =>
  formatCapability({ ...capability, constraints: {} });

const byText = (a: Capability, b: Capability): number =>
  formatCapability(a) < formatCapability(b) ? -1 : 1;
