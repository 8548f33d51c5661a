// Holdings: the chains that a process holds, each behind a handle. The first is the initial one; the others were
// granted later.
//
//   decideAny(holdings, request, nowMs)            by any of its chains
//   decideAny(holdings, request, nowMs, handle)    by that one only
//
// HOLDINGS-1  A handle is 128 random bits. An unknown handle and one of another process give the same answer: no such
//     handle.
// HOLDINGS-2  A chain with a standing answer or a trusted pin is used first, then the initial chain, then the others
//     in order.
// HOLDINGS-3  When no chain allows, the refusal is that of the chain that came nearest (kernel/src/refusal).
//
// KnownAllowances: requests that the initial chain of a process was found to allow, so that the next one of the same
// kind is not matched against every pattern again. Everything that can change is checked each time.
//
// What an allowance can depend on, and how it is handled:
//
//   which chains are held         a list of these is of one set of holdings, and is emptied when that changes
//   a chain that goes first       nothing is known where any held chain is marked: pins and "always" are asked
//   the blocks of the chain       that they still hang together as they did is looked at, link by link: the
//                                 operator may change a tenant's ceiling
//   revoked                       looked at, block by block
//   expired                       looked at: the first end of all blocks and grants of it
//   counters, money, bytes        nothing is known of a grant that counts, or of one that comes after one
//                                 that might: what was used up may come back
//   arguments                     nothing is known of a grant that pins, or of one that comes after one
//   patterns, verbs, holder       never change in a block
//
// KNOWN-ALLOWANCE-1  A known allowance has no charges, pins, limits or standing answers and comes from the initial
//     chain.
// KNOWN-ALLOWANCE-2  A known allowance equals the result of decideAny() at every time; a test compares the two.
// KNOWN-ALLOWANCE-3  Only allowances are cached. A refusal is computed anew, with its reasons.

import type { CapabilityBlock, HeldCapability } from "./block.ts";
import { allowance, type ChainPermission, isCounted, requestTarget } from "./chain.ts";
import { isPinning } from "./constraints.ts";
import { type AccessRequest, isDead, obstacle, type Obstacle, roleOf } from "./obstacle.ts";
import type { PatternTarget } from "./pattern.ts";

const HANDLE_BYTES = 16;
const MAX_HOLDINGS = 64;

export interface Holding {
  readonly handle: string;
  readonly block: CapabilityBlock;
}

type Allowing = ChainPermission & { readonly via: Holding };

/** No chain allows. Why is for people (kernel/src/refusal): this is what it is told from, at once. */
export interface RefusedAccess {
  readonly allow: false;
  /** The chains that were asked; none where the handle is not held. */
  readonly asked: readonly Holding[];
  readonly request: AccessRequest;
  readonly target: PatternTarget | null;
  readonly nowMs: number;
}

export type AnyDecision = Allowing | RefusedAccess;

export function newHandle(bytes: Uint8Array): string {
  if (bytes.length !== HANDLE_BYTES) throw new Error(`a handle takes ${HANDLE_BYTES} random bytes`);
  return `cap_${Buffer.from(bytes).toString("base64url")}`;
}

export class Holdings {
  readonly #byHandle = new Map<string, Holding>();
  readonly #birth: Holding;
  /** The same in a list; made anew when they change. */
  #list: readonly Holding[] | undefined;
  #known: KnownAllowances<Allowing> | undefined;

  constructor(birth: Holding, granted: Iterable<Holding> = []) {
    this.#birth = birth;
    this.add(birth);
    for (const holding of granted) this.add(holding);
  }

  /** The chain it started with. */
  get birth(): Holding {
    return this.#birth;
  }

  get size(): number {
    return this.#byHandle.size;
  }

  /** The chain behind a handle of this process; undefined for every other text. */
  get(handle: string): CapabilityBlock | undefined {
    return this.#byHandle.get(handle)?.block;
  }

  add(holding: Holding): void {
    if (this.#byHandle.has(holding.handle)) throw new Error("a handle is given once");
    if (this.size === MAX_HOLDINGS) throw new Error(`more than ${MAX_HOLDINGS} chains`);
    this.#byHandle.set(holding.handle, holding);
    this.#changed();
  }

  #changed(): void {
    this.#list = undefined;
    this.#known = undefined;
  }

  /** What is known of them as they are now (KnownAllowances). */
  get known(): KnownAllowances<Allowing> {
    return (this.#known ??= new KnownAllowances());
  }

  /** What it started with first, then in the order in which they came. */
  get all(): readonly Holding[] {
    return (this.#list ??= [...this.#byHandle.values()]);
  }

  /** Forgets one grant: what it started with it keeps. */
  remove(handle: string): boolean {
    this.#changed();
    return handle !== this.#birth.handle && this.#byHandle.delete(handle);
  }

  /** Forgets grants that are over. What it started with stays, alive or not. */
  dropDead(nowMs: number): readonly Holding[] {
    const dead = [...this].filter((one) => one !== this.#birth && isOver(one.block, nowMs));
    for (const { handle } of dead) this.#byHandle.delete(handle);
    this.#changed();
    return dead;
  }

  [Symbol.iterator](): Iterator<Holding> {
    return this.all[Symbol.iterator]();
  }
}

export function decideAny(
  holdings: Holdings,
  request: AccessRequest,
  nowMs: number,
  handle?: string,
): AnyDecision {
  const known = handle === undefined ? holdings.known.find(request, nowMs) : undefined;
  if (known !== undefined) return known;
  const target = requestTarget(request);
  const asked = handle === undefined ? holdings.all : heldAs(holdings, handle);
  let isMarked = false;
  for (const via of asked) {
    if (!via.block.isMarked) continue;
    isMarked = true;
    const allowed = allowance(via.block, request, target, nowMs);
    if (allowed !== null && (allowed.pinned || allowed.standing.length > 0))
      return { ...allowed, via };
  }
  for (const via of asked) {
    const allowed = allowance(via.block, request, target, nowMs);
    if (allowed === null) continue;
    const allowing: Allowing = { ...allowed, via };
    if (handle === undefined && !isMarked && via === holdings.birth)
      holdings.known.keep(via.block, request, target!, nowMs, allowing);
    return allowing;
  }
  return { allow: false, asked, request, target, nowMs };
}

function heldAs(holdings: Holdings, handle: string): Holding[] {
  const block = holdings.get(handle);
  return block === undefined ? [] : [{ handle, block }];
}

function isOver(chain: CapabilityBlock, nowMs: number): boolean {
  return isDead(chain, nowMs) || (chain.parent !== null && isOver(chain.parent, nowMs));
}

/** So many resources are remembered for a process; more than that start again. */
const MAX_KNOWN = 64;

interface Known<T> {
  readonly allowed: T;
  /** From the process's own to the outermost. */
  readonly blocks: readonly CapabilityBlock[];
  /** When the first part of it expires; Infinity when none does. */
  readonly expiresAt: number;
}

class KnownAllowances<T extends ChainPermission> {
  readonly #byResource = new Map<string, Known<T>>();

  find({ kind, resource, verb }: AccessRequest, nowMs: number): T | undefined {
    const known = this.#byResource.get(resource);
    if (known === undefined || kind !== "tool" || verb !== "call") return undefined;
    return isStillSo(known, nowMs) ? known.allowed : undefined;
  }

  /** `target` is the request's resource; the chain has just allowed it. */
  keep(
    chain: CapabilityBlock,
    request: AccessRequest,
    target: PatternTarget,
    nowMs: number,
    allowed: T,
  ): void {
    if (request.kind !== "tool") return;
    const blocks: CapabilityBlock[] = [];
    for (let block: CapabilityBlock | null = chain; block !== null; block = block.parent) {
      if (!isSettled(block, chain, request, target, nowMs)) return;
      blocks.push(block);
    }
    if (this.#byResource.size >= MAX_KNOWN) this.#byResource.clear();
    const expiresAt = allowed.expiresAt ?? Infinity;
    this.#byResource.set(request.resource, { allowed, blocks, expiresAt });
  }
}

/** Revocation, expiry and the ceiling are of this moment. */
function isStillSo({ blocks, expiresAt }: Known<unknown>, nowMs: number): boolean {
  if (!(nowMs < expiresAt)) return false;
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at]!;
    if (block.revoked || block.parent !== (blocks[at + 1] ?? null)) return false;
  }
  return true;
}

/** Whether the grant of a block that allows it will be the same as long as none expires. */
function isSettled(
  block: CapabilityBlock,
  chain: CapabilityBlock,
  request: AccessRequest,
  target: PatternTarget,
  nowMs: number,
): boolean {
  const role = roleOf(block, chain);
  for (const held of block.byKind.get(request.kind) ?? []) {
    const found = obstacle(held, request, target, role, nowMs);
    if (found !== null && NEVER.has(found)) continue;
    return found === null && isPlain(held);
  }
  return false;
}

/** Obstacles that never go away: the grant speaks of something else. */
const NEVER: ReadonlySet<Obstacle> = new Set(["resource", "verb", "hold"]);

const isPlain = (held: HeldCapability): boolean =>
  !isCounted(held) && !isPinning(held.capability.constraints);
