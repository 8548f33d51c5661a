// Suggest: the smallest list of capabilities that would have allowed what was used.
//
//   suggest(uses, {present, widen})     one line for each resource, with the used verbs
//   lessThan(present, suggestion)       the unused grants
//
// SUGGEST-1  The suggestion allows every use. `max`, `usd` and `bytes` are the largest of any run.
// SUGGEST-2  It allows nothing else: each line is one resource or, on request, the folder of at least five used ones,
//     without its subfolders.
// SUGGEST-3  A line is never wider than its grant: it keeps pins, rate, timeout, expiry and hold. Uses that no grant
//     allows are listed in `beyond`, not suggested.
// SUGGEST-4  A limit that several lines took from one grant now applies to each line: such grants are listed in
//     `split`.

import { type Capability, formatCapability } from "../capability/grammar.ts";
import { type Constraints, isPinning } from "../capability/constraints.ts";
import { toMicroUsd } from "@aos/protocol";
import { isKind, type CapabilityKind, KINDS, kindRow } from "../capability/kinds.ts";
import { compile, covers, readTarget, type PatternTarget } from "../capability/pattern.ts";
import { exactPattern } from "../capability/smallest-pattern.ts";

const SIBLINGS = 5;

export interface CapabilityUse {
  /** The run, so that limits are of one run: a pid. */
  readonly run: string;
  readonly kind: string;
  readonly resource: string;
  readonly verb: string;
  readonly count: number;
  /** Dollars spent by these uses. */
  readonly usd?: number | undefined;
  /** The most that one of them reserved: a limit must leave room for it when all else is spent. */
  readonly reservedUsd?: number | undefined;
  readonly bytes?: number | undefined;
  /** Text of the grant that allowed it, where that is known. */
  readonly by?: string | undefined;
}

export interface Suggestion {
  readonly capabilities: readonly Capability[];
  readonly beyond: readonly CapabilityUse[];
  readonly split: readonly string[];
  readonly uses: readonly CapabilityUse[];
}

export interface SuggestOptions {
  /** What is granted now; without it the uses alone decide. */
  readonly present?: readonly Capability[] | undefined;
  readonly widen?: "none" | "folder" | undefined;
  readonly siblings?: number | undefined;
}

/** A use that was read: what it touched, and the grant that its line comes from. */
interface Traced {
  readonly use: CapabilityUse;
  readonly kind: CapabilityKind;
  readonly target: PatternTarget;
  readonly from: Capability | null;
}

export function suggest(uses: Iterable<CapabilityUse>, options: SuggestOptions = {}): Suggestion {
  const all = [...uses].filter(({ count }) => count > 0);
  const ample = ampleGrants(options.present ?? [], all);
  const traced = all.map((use) => trace(use, options.present, ample));
  const found = traced.flat();
  const lines = Map.groupBy(found, lineOf(found, options));
  const capabilities = [...lines].map(([line, members]) => writeLine(patternIn(line), members));
  return {
    capabilities: inOrder(capabilities),
    beyond: all.filter((_, i) => traced[i]?.length === 0),
    split: splitLimits([...lines.values()]),
    uses: all,
  };
}

export function lessThan(present: readonly Capability[], { uses }: Suggestion): readonly string[] {
  return present
    .filter((grant) => !uses.some((use) => allows(grant, use, targetOf(use))))
    .map(formatCapability);
}

function targetOf({ kind, verb, resource }: CapabilityUse): PatternTarget | null {
  if (!isKind(kind) || !kindRow(kind).verbs.includes(verb)) return null;
  return readTarget(kindRow(kind).shape, resource);
}

function allows(grant: Capability, use: CapabilityUse, target: PatternTarget | null): boolean {
  if (target === null || grant.kind !== use.kind || !grant.verbs.includes(use.verb)) return false;
  if (use.by !== undefined && use.by !== formatCapability(grant)) return false;
  return covers(grant.pattern, target);
}

/** Those that could have allowed every use they cover, whatever the arguments, in any run. */
function ampleGrants(
  present: readonly Capability[],
  all: readonly CapabilityUse[],
): Set<Capability> {
  const targets = all.map(targetOf);
  const isAmple = (grant: Capability): boolean => {
    if (isPinning(grant.constraints)) return false;
    const covered = all.filter((use, i) => allows(grant, use, targets[i] as PatternTarget | null));
    return mostOf(covered) <= (grant.constraints.max ?? Infinity);
  };
  return new Set(present.filter(isAmple));
}

/**
 * The grants that a use may have come from. An ample one is reason enough; where there is none, any
 * of them may have been needed.
 */
function trace(
  use: CapabilityUse,
  present: SuggestOptions["present"],
  ample: ReadonlySet<Capability>,
): Traced[] {
  const target = targetOf(use);
  if (target === null) return [];
  const kind = use.kind as CapabilityKind;
  if (present === undefined) return [{ use, kind, target, from: null }];
  const grants = present.filter((grant) => allows(grant, use, target));
  const enough = grants.find((grant) => ample.has(grant));
  return (enough === undefined ? grants : [enough]).map((from) => ({ use, kind, target, from }));
}

/** Names the line that a use belongs to: the grant it comes from, its kind, and its pattern. */
function lineOf(found: readonly Traced[], { widen = "none", siblings = SIBLINGS }: SuggestOptions) {
  const beside = new Map<string, Set<string>>();
  const folderOf = ({ use, target, kind, from }: Traced): readonly [string, string] | null => {
    const pattern = widen === "folder" ? folderPattern(target) : null;
    if (pattern === null || !isWithinGrant(from, kind, pattern)) return null;
    return [pattern, nameLine(from, kind, `${use.verb} ${pattern}`)];
  };
  for (const one of found) {
    const folder = folderOf(one);
    if (folder === null) continue;
    const known = beside.get(folder[1]) ?? new Set();
    beside.set(folder[1], known.add(exactPattern(one.target)));
  }
  return (one: Traced): string => {
    const folder = folderOf(one);
    const isWide = folder !== null && (beside.get(folder[1]) as Set<string>).size >= siblings;
    return nameLine(one.from, one.kind, isWide ? folder[0] : exactPattern(one.target));
  };
}

function nameLine(from: Capability | null, kind: CapabilityKind, pattern: string): string {
  return `${from === null ? "" : formatCapability(from)}\n${kind}\n${pattern}`;
}

function patternIn(line: string): string {
  return line.slice(line.lastIndexOf("\n") + 1);
}

/**
 * Does the grant cover a whole folder? A segment that takes the name `*`, which nothing literal
 * does, takes every name.
 */
function isWithinGrant(from: Capability | null, kind: CapabilityKind, folder: string): boolean {
  if (from === null) return true;
  const target = readTarget(kindRow(kind).shape, folder);
  return target !== null && covers(from.pattern, target);
}

function writeLine(pattern: string, members: readonly Traced[]): Capability {
  const { kind, from } = members[0] as Traced;
  const uses = members.map(({ use }) => use);
  const used = new Set(uses.map(({ verb }) => verb));
  return {
    kind,
    pattern: compile(kind, pattern),
    verbs: kindRow(kind).verbs.filter((verb) => used.has(verb)),
    constraints: limited(from?.constraints ?? {}, uses),
  };
}

function limited(grant: Constraints, uses: readonly CapabilityUse[]): Constraints {
  const max = Math.min(mostOf(uses), grant.max ?? Infinity);
  const usd = Math.min(mostUsdOf(uses), grant.usd ?? Infinity);
  const bytes = Math.min(
    highest(uses, (of) => sum(of.map((use) => use.bytes ?? 0))),
    grant.bytes ?? Infinity,
  );
  const { usd: _usd, bytes: _bytes, ...kept } = grant;
  return {
    ...kept,
    max,
    ...(usd > 0 ? { usd: toMicroUsd(usd) / 1e6 } : {}),
    ...(bytes > 0 ? { bytes: Math.ceil(bytes) } : {}),
  };
}

function mostOf(uses: readonly CapabilityUse[]): number {
  return highest(uses, (of) => sum(of.map(({ count }) => count)));
}

function mostUsdOf(uses: readonly CapabilityUse[]): number {
  return highest(
    uses,
    (of) =>
      sum(of.map(({ usd = 0 }) => usd)) + Math.max(...of.map(({ reservedUsd = 0 }) => reservedUsd)),
  );
}

function highest(
  uses: readonly CapabilityUse[],
  of: (run: readonly CapabilityUse[]) => number,
): number {
  let most = 0;
  for (const run of Map.groupBy(uses, (use) => use.run).values()) most = Math.max(most, of(run));
  return most;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function splitLimits(lines: readonly (readonly Traced[])[]): string[] {
  const grants = lines.flatMap(([first]) => (first?.from ? [first.from] : []));
  const counts = Map.groupBy(grants.filter(isLimited), formatCapability);
  return [...counts].filter(([, of]) => of.length > 1).map(([text]) => text);
}

function isLimited({ constraints }: Capability): boolean {
  const { rate, max, usd, bytes } = constraints;
  return [rate, max, usd, bytes].some((limit) => limit !== undefined);
}

/** By kind, and then by text. */
function inOrder(capabilities: readonly Capability[]): Capability[] {
  const byText = Map.groupBy(capabilities, formatCapability);
  const sorted = [...byText.keys()].sort().flatMap((text) => byText.get(text) as Capability[]);
  return Object.keys(KINDS).flatMap((kind) => sorted.filter((one) => one.kind === kind));
}

/** All that lies directly beside it; null for a name, and for a root. */
function folderPattern(target: PatternTarget): string | null {
  if (target.shape === "name") return null;
  const path = target.shape === "path" ? target.path : target.host.path;
  if (path.length === 0) return null;
  const folder = path.slice(0, -1);
  const beside =
    target.shape === "path"
      ? exactPattern({ ...target, path: folder })
      : exactPattern({ ...target, host: { ...target.host, path: folder } });
  return `${beside}${beside.endsWith("/") ? "" : "/"}*`;
}
