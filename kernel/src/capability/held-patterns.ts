// Held patterns: what a process may use of a kind without a check per use, for resources that cannot be checked one
// by one: the folders that a sandboxed program sees.
//
//   heldPatterns(holdings, "file", nowMs)     [{ pattern: "/work/**", verbs: ["read", "write"], chain }]
//
// HELD-PATTERNS-1  A pattern is listed only if every block of its chain holds it whole, or something plainly wider.
//     Patterns are not intersected: anything else is left to `decide`.
// HELD-PATTERNS-2  Capabilities that count uses, pin arguments or may only be handed on are left out, since these
//     could not be enforced.

import type { CapabilityBlock, HeldCapability } from "./block.ts";
import type { Constraints } from "./constraints.ts";
import type { Holdings } from "./holdings.ts";
import { type CapabilityKind, kindRow } from "./kinds.ts";
import { isDead, roleOf } from "./obstacle.ts";

export interface HeldPatternOfChain {
  readonly pattern: string;
  readonly verbs: readonly string[];
  readonly expiresAt: number;
  readonly chain: CapabilityBlock;
}

export function heldPatterns(
  holdings: Holdings,
  kind: CapabilityKind,
  nowMs: number,
): readonly HeldPatternOfChain[] {
  return [...holdings].flatMap(({ block: chain }) =>
    [...textsOf(chain, kind)].flatMap((text) => along(chain, kind, text, nowMs)),
  );
}

/** Any block of a chain may be the one that is narrowest. */
function textsOf(chain: CapabilityBlock, kind: CapabilityKind): Set<string> {
  const texts = new Set<string>();
  for (let block: CapabilityBlock | null = chain; block !== null; block = block.parent)
    for (const { capability } of block.byKind.get(kind) ?? []) texts.add(capability.pattern.text);
  return texts;
}

function along(
  chain: CapabilityBlock,
  kind: CapabilityKind,
  text: string,
  nowMs: number,
): HeldPatternOfChain[] {
  let verbs: readonly string[] = kindRow(kind).verbs;
  let expiresAt = Infinity;
  for (let block: CapabilityBlock | null = chain; block !== null; block = block.parent) {
    if (isDead(block, nowMs)) return [];
    const role = roleOf(block, chain);
    const wide = (block.byKind.get(kind) ?? []).filter(
      (held) => isPlain(held, role, nowMs) && isWithin(text, held.capability.pattern.text),
    );
    verbs = verbs.filter((verb) => wide.some(({ capability }) => capability.verbs.includes(verb)));
    if (verbs.length === 0) return [];
    const ends = wide.map((held) => held.expiresAt);
    expiresAt = Math.min(expiresAt, block.expiresAt ?? Infinity, ...ends);
  }
  return [{ pattern: text, verbs, expiresAt, chain }];
}

const COUNTING: readonly (keyof Constraints)[] = [
  "rate",
  "max",
  "timeoutMs",
  "usd",
  "bytes",
  "pins",
];

/** HELD-PATTERNS-2. */
function isPlain(
  { capability: { constraints }, expiresAt }: HeldCapability,
  role: "use" | "grant",
  nowMs: number,
): boolean {
  const { hold = role, onlyPinned } = constraints;
  if (hold !== role || onlyPinned === true) return false;
  return nowMs < expiresAt && COUNTING.every((name) => constraints[name] === undefined);
}

/** HELD-PATTERNS-1. Whether all that the inner one covers is covered by the outer one, said only where it is plain. */
function isWithin(inner: string, outer: string): boolean {
  if (inner === outer || outer === "**") return true;
  const folder = outer.endsWith("/**") ? outer.slice(0, -"/**".length) : undefined;
  if (folder === undefined || folder.includes("*")) return false;
  return inner === folder || inner.startsWith(`${folder}/`);
}
