// Explain: why a request was refused: the refusing block, the nearest capability, and the smallest sufficient one.
// The refusal itself is decided in capability/; this only looks at the same chains again.
//
//   explainRefused(refused)                       of several chains the one that came nearest (HOLDINGS-3)
//   decideChain(chain, request, nowMs)     one chain: what it allows, or why it does not
//
// REFUSAL-1  The named block is the refusing one nearest the root: a grant below it would not help.
// REFUSAL-2  `smallestGrant`, held by every refusing block, allows the request. It is empty if no capability can: the
//     resource is not canonical, or the kind or verb is unknown.
// REFUSAL-3  The message never contains values of arguments.

import { type CapabilityBlock, type HeldCapability, tokensLeft } from "../capability/block.ts";
import { allowance, type ChainPermission, requestTarget } from "../capability/chain.ts";
import { type Capability, formatCapability } from "../capability/grammar.ts";
import type { Holding, RefusedAccess } from "../capability/holdings.ts";
import {
  isDead,
  type Obstacle,
  obstacle,
  OBSTACLES,
  type AccessRequest,
  roleOf,
  unmetPin,
} from "../capability/obstacle.ts";
import type { PatternTarget } from "../capability/pattern.ts";
import { smallestPattern } from "../capability/smallest-pattern.ts";
import type { Rate } from "../capability/units.ts";

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

/** HOLDINGS-3. */
export function explainRefused({ asked, request, target, nowMs }: RefusedAccess): ChainRefusal {
  const misses = asked.map((via) => ({
    reason: explainRefusal(via.block, request, target, nowMs),
    via,
  }));
  return target === null
    ? (misses[0] ?? NO_SUCH_HANDLE)
    : nearestOf(misses, request, target, nowMs);
}

export type Decision = ChainPermission | { readonly allow: false; readonly reason: Refusal };

export function decideChain(
  chain: CapabilityBlock,
  request: AccessRequest,
  nowMs: number,
): Decision {
  const target = requestTarget(request);
  return (
    allowance(chain, request, target, nowMs) ?? {
      allow: false,
      reason: explainRefusal(chain, request, target, nowMs),
    }
  );
}

/** Without `via` it is of a handle that is not held. */
interface ChainRefusal {
  readonly reason: Refusal;
  readonly via?: Holding;
}

function explainRefusal(
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

const NO_SUCH_HANDLE: ChainRefusal = {
  reason: {
    blockId: "",
    blockIds: [],
    code: "handle",
    smallestGrant: "",
    why: "it holds no grant with this handle",
  },
};

/** Of refusals the one that came nearest; among equals the first. */
function nearestOf(
  misses: readonly Required<ChainRefusal>[],
  request: AccessRequest,
  target: PatternTarget,
  nowMs: number,
): ChainRefusal {
  let nearest: ChainRefusal | undefined;
  let most = -Infinity;
  for (const miss of misses) {
    const rank = nearness(miss, request, target, nowMs);
    if (rank <= most) continue;
    most = rank;
    nearest = miss;
  }
  return nearest ?? NO_SUCH_HANDLE;
}

/** From the farthest to the nearest. */
const MISSES: readonly string[] = ["dead", "absent", ...OBSTACLES];

/** A dead block that would have allowed it misses by its time; any other dead one is the farthest. */
function nearness(
  { reason, via }: Required<ChainRefusal>,
  request: AccessRequest,
  target: PatternTarget,
  nowMs: number,
): number {
  const { code, blockId } = reason;
  if (code !== "revoked" && code !== "expired") return MISSES.indexOf(code);
  let block = via.block;
  while (block.id !== blockId && block.parent !== null) block = block.parent;
  const role = roleOf(block, via.block);
  const wouldAllow = (block.byKind.get(request.kind) ?? []).some(
    (held) => obstacle(held, request, target, role, nowMs) === null,
  );
  return MISSES.indexOf(wouldAllow ? "expires" : "dead");
}

/** How people are told of a block. */
export function nameOfBlock(
  { holder, ceilingOf }: CapabilityBlock,
  chain: CapabilityBlock,
): string {
  if (ceilingOf !== undefined) return `the ceiling of tenant ${ceilingOf}, set by the operator,`;
  return holder === chain.holder ? "it" : `its grantor ${holder}`;
}
