// Obstacle: the reason why one capability does not allow one request; null if it does.
//
// Only this file enforces the text of a capability. decide() uses it to allow and refusal.ts to explain, so both
// always agree.
//
// OBSTACLE-1  Every comparison is written so that NaN and undefined refuse.
// OBSTACLE-2  Later obstacles are nearer misses: the order below is the order of nearness.
// OBSTACLE-3  Only a pattern that begins with /mem/agents/ covers the memory of other agents: `/mem/**` does not.

import { limitMicroUsd, reachesSpace, toMicroUsd } from "@aos/protocol";
import { type CapabilityBlock, type HeldCapability, tokensLeft } from "./block.ts";
import { type Constraints, isPinning } from "./constraints.ts";
import { isObject, sameJson } from "./json.ts";
import type { CapabilityKind } from "./kinds.ts";
import { covers, type PatternTarget } from "./pattern.ts";

export interface AccessRequest {
  readonly kind: CapabilityKind;
  /** Canonical: see `resource` in the kinds table. */
  readonly resource: string;
  readonly verb: string;
  /** What pins are held against. Must not change between decide() and use. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  /** The worst case of this call, where it is known before. */
  readonly cost?: {
    readonly usd?: number | undefined;
    /** The same in whole micro-dollars; one of them is enough. */
    readonly microUsd?: number | undefined;
    readonly bytes?: number | undefined;
    /** No price is known. */
    readonly unpriced?: true;
  };
  /** A use that was counted when it was begun, and goes on: it is not counted again. */
  readonly isBegun?: boolean;
}

export const OBSTACLES = [
  "resource",
  "verb",
  "hold",
  "pin",
  "expires",
  "max",
  "rate",
  "usd",
  "bytes",
] as const;
export type Obstacle = (typeof OBSTACLES)[number];

/** A bucket refilled in fractions may miss a whole use by the last bits of a double. */
const ONE_USE = 1 - 1e-9;

/** The holder of the chain uses its own blocks; those above were granted down to it. */
export function roleOf(block: CapabilityBlock, chain: CapabilityBlock): "use" | "grant" {
  return block.holder === chain.holder ? "use" : "grant";
}

export function isDead(block: CapabilityBlock, nowMs: number): boolean {
  return block.revoked || (block.expiresAt !== undefined && !(nowMs < block.expiresAt));
}

export function obstacle(
  held: HeldCapability,
  request: AccessRequest,
  target: PatternTarget,
  role: "use" | "grant",
  nowMs: number,
): Obstacle | null {
  const { capability, usage } = held;
  const { constraints } = capability;
  if (!covers(capability.pattern, target)) return "resource";
  if (capability.kind === "memory" && !reachesSpace(capability.pattern.text, request.resource))
    return "resource"; // OBSTACLE-3
  if (!capability.verbs.includes(request.verb)) return "verb";
  if (constraints.hold !== undefined && constraints.hold !== role) return "hold";
  if (isPinning(constraints) && unmetPin(constraints, request.args) !== null) return "pin";
  if (!(nowMs < held.expiresAt)) return "expires";
  if (request.isBegun === true) return null;
  if (constraints.max !== undefined && !(usage.uses < constraints.max)) return "max";
  if (!(tokensLeft(held, nowMs) >= ONE_USE)) return "rate";
  if (constraints.usd !== undefined) {
    const microUsd =
      usage.microUsd + (request.cost?.microUsd ?? toMicroUsd(request.cost?.usd ?? 0));
    if (request.cost?.unpriced === true || !(microUsd <= limitMicroUsd(constraints.usd)))
      return "usd";
  }
  if (constraints.bytes !== undefined) {
    if (!(usage.bytes + (request.cost?.bytes ?? 0) <= constraints.bytes)) return "bytes";
  }
  return null;
}

/** What is wrong with the arguments: one that is missing, another, or not to be there; or null. */
export function unmetPin({ pins = [], onlyPinned }: Constraints, args: unknown): string | null {
  if (args !== undefined && !isObject(args))
    return "the arguments are not an object with named fields";
  const given = args ?? {};
  for (const { name, value } of pins) {
    if (!Object.hasOwn(given, name) || !sameJson(value, given[name])) {
      return `the argument ${name} is pinned to another value`;
    }
  }
  if (onlyPinned !== true) return null;
  const free = Object.keys(given).find((key) => !pins.some(({ name }) => name === key));
  return free === undefined ? null : "the call has an argument that is not pinned";
}
