// Refusal: the refusing block, the nearest capability, and the smallest sufficient one.
//
// REFUSAL-1  The named block is the refusing one nearest the root: a grant below it would not help.
// REFUSAL-2  `smallestGrant`, held by every refusing block, allows the request. It is empty if no capability can: the
//     resource is not canonical, or the kind or verb is unknown.
// REFUSAL-3  The message never contains values of arguments.

import { type CapabilityBlock, type HeldCapability, tokensLeft } from "./block.ts";
import { nameOfBlock } from "./ceiling.ts";
import { type Capability, formatCapability } from "./grammar.ts";
import {
  isDead,
  type Obstacle,
  obstacle,
  OBSTACLES,
  type AccessRequest,
  roleOf,
  unmetPin,
} from "./obstacle.ts";
import type { PatternTarget } from "./pattern.ts";
import { smallestPattern } from "./smallest-pattern.ts";
import type { Rate } from "./units.ts";

export interface Refusal {
  readonly blockId: string;
  /** All blocks that refuse, from the root down. */
  readonly blockIds: readonly string[];
  readonly code: Obstacle | "revoked" | "expired" | "absent" | "malformed" | "handle";
  /** Text of the capability of that block that came nearest. */
  readonly nearest?: string | undefined;
  readonly smallestGrant: string;
  readonly why: string;
  /** The tenant whose ceiling refuses: only the operator can raise that. */
  readonly ceilingOf?: string | undefined;
  /** With code `rate`: when the same request may be allowed. */
  readonly retryAfterMs?: number | undefined;
}

interface Miss {
  readonly held: HeldCapability;
  readonly obstacle: Obstacle;
}

export function explainRefusal(
  chain: CapabilityBlock,
  request: AccessRequest,
  target: PatternTarget | null,
  nowMs: number,
): Refusal {
  if (target === null) return malformed(chain, request);
  const refusing: CapabilityBlock[] = [];
  for (let block: CapabilityBlock | null = chain; block !== null; block = block.parent) {
    if (misses(block, chain, request, target, nowMs) !== null) refusing.unshift(block);
  }
  const block = refusing[0] as CapabilityBlock;
  const nearest = misses(block, chain, request, target, nowMs)?.sort(byNearness(request))[0];
  const { code, why, retryAfterMs } = describe(block, chain, nearest, request, nowMs);
  return {
    blockId: block.id,
    blockIds: refusing.map(({ id }) => id),
    code,
    nearest: nearest && formatCapability(nearest.held.capability),
    smallestGrant: `${request.kind}:${smallestPattern(target)}:${request.verb}`,
    why,
    retryAfterMs,
    ...(block.ceilingOf === undefined ? {} : { ceilingOf: block.ceilingOf }),
  };
}

function malformed(chain: CapabilityBlock, { kind, verb }: AccessRequest): Refusal {
  return {
    blockId: chain.id,
    blockIds: [chain.id],
    code: "malformed",
    smallestGrant: "",
    why: `no capability can allow this: ${kind} has no verb \`${verb}\`, or the resource is not in canonical form`,
  };
}

/** How each capability of the block misses the request, or null when the block allows it. */
function misses(
  block: CapabilityBlock,
  chain: CapabilityBlock,
  request: AccessRequest,
  target: PatternTarget,
  nowMs: number,
): Miss[] | null {
  const found: Miss[] = [];
  for (const held of block.byKind.get(request.kind) ?? []) {
    const what = obstacle(held, request, target, roleOf(block, chain), nowMs);
    if (what !== null) found.push({ held, obstacle: what });
    else if (!isDead(block, nowMs)) return null;
  }
  return found;
}

function byNearness(request: AccessRequest): (a: Miss, b: Miss) => number {
  const rank = ({ obstacle }: Miss): number => OBSTACLES.indexOf(obstacle);
  const shared = ({ held }: Miss): number =>
    sharedPrefix(held.capability.pattern.text, request.resource);
  return (a, b) => rank(b) - rank(a) || shared(b) - shared(a);
}

function sharedPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

function describe(
  block: CapabilityBlock,
  chain: CapabilityBlock,
  nearest: Miss | undefined,
  request: AccessRequest,
  nowMs: number,
): Pick<Refusal, "code" | "why" | "retryAfterMs"> {
  if (block.revoked) return { code: "revoked", why: `the grant ${block.id} was revoked` };
  if (isDead(block, nowMs)) return { code: "expired", why: `the grant ${block.id} has expired` };
  const name = nameOfBlock(block, chain);
  if (nearest === undefined) {
    return { code: "absent", why: `${name} holds no \`${request.kind}:\` capability` };
  }
  const why = WORDS[nearest.obstacle](nearest.held.capability, request, name);
  const retryAfterMs = nearest.obstacle === "rate" ? waitMs(nearest.held, nowMs) : undefined;
  return { code: nearest.obstacle, why, retryAfterMs };
}

type Words = (nearest: Capability, request: AccessRequest, name: string) => string;

const WORDS: Readonly<Record<Obstacle, Words>> = {
  resource: (_, { kind, resource }, name) =>
    `${name} holds no \`${kind}:\` capability that covers ${resource}`,
  verb: (nearest, { verb }, name) =>
    `${name} holds ${formatCapability(nearest)}, which does not include the verb \`${verb}\``,
  hold: (nearest) =>
    nearest.constraints.hold === "use"
      ? `${formatCapability(nearest)} may be used but not granted to others`
      : `${formatCapability(nearest)} may be granted to others but not used`,
  pin: ({ constraints }, { args }) => unmetPin(constraints, args) as string,
  expires: (nearest) => `${formatCapability(nearest)} has expired`,
  max: (nearest) => `${formatCapability(nearest)} has no uses left`,
  rate: (nearest) => `${formatCapability(nearest)} has reached its rate limit`,
  usd: (nearest) => `the money left in ${formatCapability(nearest)} does not cover this call`,
  bytes: (nearest) => `the bytes left in ${formatCapability(nearest)} do not cover this call`,
};

function waitMs(held: HeldCapability, nowMs: number): number {
  const { count, perMs } = held.capability.constraints.rate as Rate;
  const behindMs = Math.max(0, held.usage.tokensAt - nowMs);
  return Math.ceil(behindMs + ((1 - tokensLeft(held, nowMs)) * perMs) / count);
}
