// Power, the slow way: may a process do this by one of its chains? From docs/capabilities.md: every block
// of a chain must hold at least one capability that allows it.
//
// The journal does not say to the millisecond when the gate decided, so that an answer is `yes`, `no`, or
// `maybe` where it depends on that: something expired or was given meanwhile, or a counter was near its end.

import { parseCapability } from "@aos/kernel";
import type { Json, Touch } from "@aos/protocol";
import { isDeepStrictEqual } from "node:util";
import type { Limit } from "./counters.ts";
import { covers } from "./matching.ts";
import type { Between } from "./past.ts";

export type Answer = "yes" | "no" | "maybe";

export interface Block {
  readonly id: string;
  readonly holder: string;
  readonly capabilities: readonly string[];
  readonly mintedAt: number;
  readonly expiresAt: number;
  /** Infinity when it never was; undefined when nobody knows. */
  readonly revokedAt: number | undefined;
  /** A pin of it stands for a person. */
  readonly trusted: boolean;
}

export interface Chain {
  readonly handle: string;
  readonly blocks: readonly Block[];
  /** A person said "always". */
  readonly standing: boolean;
  readonly from: number;
  readonly until: number;
  /** Only its last block is known. */
  readonly isPartial: boolean;
}

export interface Request {
  readonly touch: Touch;
  readonly args: Json;
  /** The gate decided within this time. */
  readonly between: Between;
  /** Whatever was used of it before. */
  readonly isUncounted?: boolean;
}

/** In force at both ends of the time, at one of them, or at none. */
function during(from: number, until: number, [start, end]: Between): Answer {
  if (from <= start && end < until) return "yes";
  return end < from || until <= start ? "no" : "maybe";
}

export const all = (answers: readonly Answer[]): Answer =>
  answers.includes("no") ? "no" : answers.includes("maybe") ? "maybe" : "yes";

export const any = (answers: readonly Answer[]): Answer =>
  answers.includes("yes") ? "yes" : answers.includes("maybe") ? "maybe" : "no";

function fitsPins(pins: readonly { name: string; value: Json }[], only: boolean, args: Json) {
  const isNamed = typeof args === "object" && args !== null && !Array.isArray(args);
  if (args !== null && !isNamed) return false;
  const given = (args ?? {}) as Record<string, Json>;
  const areMet = pins.every(
    ({ name, value }) => Object.hasOwn(given, name) && isDeepStrictEqual(given[name], value),
  );
  return (
    areMet && (!only || Object.keys(given).every((key) => pins.some((pin) => pin.name === key)))
  );
}

/** What one capability of a block says, and whether it has pins. */
function byCapability(
  text: string,
  block: Block,
  isOwn: boolean,
  { touch, args, between, isUncounted = false }: Request,
) {
  const { kind, pattern, verbs, constraints } = parseCapability(text);
  const { hold, pins = [], onlyPinned, expires, max, rate, usd, bytes } = constraints;
  const isPinned = pins.length > 0 || onlyPinned === true;
  const isFit =
    kind === touch.kind &&
    verbs.includes(touch.verb) &&
    covers(kind, pattern.text, touch) &&
    (!/^\/mem\/agents(\/|$)/.test(touch.resource) ||
      kind !== "memory" ||
      pattern.text.startsWith("/mem/agents/")) &&
    !(hold === "use" && !isOwn) &&
    !(hold === "grant" && isOwn) &&
    (!isPinned || fitsPins(pins as never, onlyPinned === true, args));
  const names = isPinned ? pins.map(({ name }) => name) : undefined;
  if (!isFit) return { answer: "no" as Answer, names };
  const end =
    expires === undefined
      ? Infinity
      : "atMs" in expires
        ? expires.atMs
        : block.mintedAt + expires.afterMs;
  const isCounted = !isUncounted && [max, rate, usd, bytes].some((limit) => limit !== undefined);
  const inTime = during(-Infinity, end, between);
  return { answer: all([inTime, isCounted ? "maybe" : "yes"]), names, isCounted };
}

export interface Judged {
  readonly answer: Answer;
  /** For each chain with trusted pins, the arguments that they fix. */
  readonly pins: readonly (readonly string[])[];
  /** One of these pins may have been used up or over by then. */
  readonly arePinsUnsure: boolean;
  /** What makes it a maybe is a counter. */
  readonly counted: boolean;
}

function byBlock(block: Block, holder: string, request: Request): Judged {
  const { revokedAt = NaN, expiresAt } = block;
  const alive = Number.isNaN(revokedAt)
    ? ("maybe" as Answer)
    : during(-Infinity, Math.min(revokedAt, expiresAt), request.between);
  const said = block.capabilities.map((text) =>
    byCapability(text, block, block.holder === holder, request),
  );
  const able = said.filter(({ answer }) => answer !== "no");
  return {
    answer: all([alive, any(said.map(({ answer }) => answer))]),
    pins: block.trusted ? able.flatMap(({ names }) => (names === undefined ? [] : [names])) : [],
    arePinsUnsure: able.some(({ names, answer }) => names !== undefined && answer !== "yes"),
    counted: able.some(({ isCounted }) => isCounted === true),
  };
}

export function byChain(chain: Chain, request: Request): Judged {
  const { blocks } = chain;
  const { holder } = blocks.at(-1)!;
  const said = blocks.map((block) => byBlock(block, holder, request));
  const pins = said.flatMap((one) => one.pins);
  const held = during(chain.from, chain.until, request.between);
  const answers = [held, ...said.map(({ answer }) => answer), chain.isPartial ? "maybe" : "yes"];
  return {
    answer: all(answers as Answer[]),
    pins: pins.length === 0 ? [] : [pins.flat()],
    arePinsUnsure: said.some((one) => one.arePinsUnsure),
    counted: said.some(({ counted }) => counted),
  };
}

/** What counts the uses of a capability, and under what name. */
export interface Counted extends Limit {
  readonly key: string;
  readonly bytes: number | undefined;
}

/** For each block of the chain: the counters of the capabilities in it that would allow it; one may have none. */
export function countedBy({ blocks }: Chain, request: Request): Counted[][] {
  const { holder } = blocks.at(-1)!;
  return blocks.map((block) =>
    block.capabilities
      .filter((text) => byCapability(text, block, block.holder === holder, request).answer !== "no")
      .map((text) => {
        const { max, rate, usd, bytes } = parseCapability(text).constraints;
        return { key: `${text} of ${block.id}`, max, rate, usd, bytes };
      }),
  );
}

export const isLimited = ({ max, rate, usd, bytes }: Counted): boolean =>
  [max, rate, usd, bytes].some((limit) => limit !== undefined);
