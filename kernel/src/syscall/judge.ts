// Judge: from a described action to a permit, or to the refusal that ends it. There is no `await` in
// here: nothing can slip between a test and its charge.
//
// Order: capability, policy, labels, quota, approval, budget. The first that refuses ends it, and
// says which check it was, what was nearest, and what would have allowed it (refusals.ts).
//
// G1  Every resource that an action touches needs a capability of its own, and the tool another.
// G2  A handle that is not the process's own is forged: that is a violation, not a refusal.
// G3  A pin replaces a person only if whoever set it had read nothing untrusted.
// G4  A yes covers what the running call then touches, as far as it was shown (coverage.ts).
// G5  An "always" answers the rules that asked then, for what would have run then, and no other.

import { SysError, type Label, type Touch } from "@aos/protocol";
import { type Block, type Charge, decideAny, type Kind } from "../capability/index.ts";
import { CLEAN, join, mayLeave } from "../label/label.ts";
import type { Ask, Policy, RateUse, Subject, Verdict } from "../policy/index.ts";
import type { Call, Process } from "../process/process.ts";
import { purposeOf } from "../process/spending.ts";
import { digestOfAction, type Action } from "./action.ts";
import { canBeTried } from "./dry-run.ts";
import { type Coverage, coverageOf, refuseUncovered, refuseUnpinned, rulesIn } from "./coverage.ts";
import { noCapability, noFlow, noPolicy } from "./refusals.ts";
import { least, refuseTogether, remarks, take } from "./charging.ts";
import { allowedSignal, labels } from "./flow.ts";
import { argsOf, subjectOf } from "./subject.ts";

export interface Permit {
  /** Grows with what the call turns out to touch while it runs. */
  charges: readonly Charge[];
  /** The ends of the chains that allowed it. */
  readonly chains: readonly Block[];
  /** When the first of the grants that allowed it expires. */
  readonly expiresAt: number | undefined;
  readonly rates: readonly RateUse[];
  readonly timeoutMs: number | undefined;
  readonly maxBytes: number | undefined;
  /** Nothing is done; what would have been is the answer. */
  readonly dryRun: boolean;
  /** Marks that this call puts on the process's label. */
  tags: readonly string[];
  /** What a program that runs for it can see, beyond what its process has read. */
  seen?: Label;
  /** What a person's yes covers while it runs; none where nobody had to be asked. */
  readonly covers: Coverage | undefined;
  /** A pin stands for a person's word. */
  readonly isPinned: boolean;
  /** What is to be said of it in its record. */
  readonly verdict: string | undefined;
  hold?: NonNullable<Call["hold"]>; // absent while it is only judged
}

type Under = Pick<Permit, "tags" | "covers" | "isPinned" | "seen">;

/** Thrown when a person has to say. The attempt ends; the answer starts a new one. */
export class NeedsApproval extends Error {
  readonly ask: Ask;
  readonly say: string | undefined;

  constructor({ ask, say }: Verdict) {
    super(`needs approval by ${ask!.rule}`);
    this.ask = ask!;
    this.say = say;
  }
}

/** Thrown for what ends the process: a forged handle, a rule that says `kill`. */
export class Violation extends Error {}

export interface Laws {
  /** The policy in force now, and the names of the layers that bind a process. */
  readonly policy: () => Policy;
  readonly layersFor: (process: Pick<Process, "layers">) => readonly string[];
  readonly timeOfDay?: () => number; // for rules that speak of the time
  /** Refuses what is over a limit that is no capability's: spawn depth, processes in a tree. */
  readonly quota: (process: Process, action: Action) => void;
  /** Takes at once what a quota counts, and gives it back when nothing came of it. */
  readonly charge: (process: Process, action: Action) => void;
  readonly release: (process: Process, action: Action) => void;
  /** The digests that a person has said yes to, by the rules that asked, and has not taken back. */
  readonly isApproved: (process: Process, digest: string, rule: string) => boolean;
}

interface Powers {
  readonly charges: readonly Charge[];
  readonly chains: readonly Block[];
  readonly expiresAt: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly isPinned: boolean;
  /** The blocks by which a person has said "always", for all that it touches. */
  readonly standing: readonly Block[];
}

/** What the gate says, with nothing charged. What was begun before was counted then. */
export function judge(
  process: Process,
  action: Action,
  laws: Laws,
  nowMs: number,
  isBegun = false,
): Permit {
  const permit = judgeUnpaid(process, action, laws, nowMs, isBegun);
  process.account.mustCover(action.worst, purposeOf(action, nowMs));
  return permit;
}

/** Every check but the last, the budget: to look at it and to reserve it refuse the same. */
function judgeUnpaid(
  process: Process,
  action: Action,
  laws: Laws,
  nowMs: number,
  isBegun: boolean,
): Permit {
  const powers = capability(process, action, action.touches, nowMs, isBegun);
  const atMs = laws.timeOfDay?.() ?? nowMs;
  const subject = subjectOf(process, action, { pinned: powers.isPinned, atMs, isBegun });
  const verdict = policy(process, subject, laws);
  if (action.call === "signal") allowedSignal(process, action, laws);
  labels(process, action);
  laws.quota(process, action);
  const covers = approval(process, action, laws, { verdict, subject }, powers.standing);
  return {
    charges: powers.charges,
    chains: powers.chains,
    expiresAt: powers.expiresAt,
    rates: verdict.rates,
    timeoutMs: least(powers.timeoutMs, verdict.timeoutMs),
    maxBytes: verdict.maxBytes,
    dryRun: verdict.dryRun && canBeTried(action),
    tags: freshTags(process.label, verdict.tags),
    covers,
    isPinned: powers.isPinned,
    verdict: remarks(verdict),
  };
}

/** G1. What of the process's power allows each of the touches. */
function capability(
  process: Process,
  action: Action,
  touches: readonly Touch[],
  nowMs: number,
  isBegun: boolean,
): Powers {
  const by = (action.args as { by?: string } | null)?.by;
  if (by !== undefined && process.pastHandles.has(by))
    throw new SysError("EACCES", "the grant under this handle is over");
  if (by !== undefined && process.holdings.get(by) === undefined)
    throw new Violation(`${action.call} named a handle that was never given to it`); // G2
  const args = argsOf(action) as never;
  const charges: Charge[] = [];
  const chains: Block[] = [];
  let timeoutMs: number | undefined;
  let expiresAt: number | undefined;
  let isPinned = false;
  let standing: readonly Block[] | undefined;
  for (const touch of touches) {
    const request = { ...touch, kind: touch.kind as Kind, args, cost: action.worst, isBegun };
    const decision = decideAny(process.holdings, request, nowMs, by);
    if (!decision.allow) throw noCapability(process, touch, decision.reason, action.worst);
    charges.push(...decision.charges);
    chains.push(decision.via.block);
    timeoutMs = least(timeoutMs, decision.timeoutMs);
    expiresAt = least(expiresAt, decision.expiresAt);
    isPinned ||= decision.pinned && isPinnedBy(decision.pinnedArgs, touch, action);
    standing = standing?.filter((one) => decision.standing.includes(one)) ?? decision.standing;
  }
  if (!isBegun) refuseTogether(charges, nowMs);
  return { charges, chains, expiresAt, timeoutMs, isPinned, standing: standing ?? [] };
}

/** What a call that runs stands on now: what it was counted on it keeps. */
export const standsOn = (
  process: Process,
  action: Action,
  touches: readonly Touch[],
  nowMs: number,
): Pick<Permit, "chains" | "expiresAt"> => {
  const { chains, expiresAt } = capability(process, action, touches, nowMs, true);
  return { chains, expiresAt };
};

/** G3. It is the tool that is pinned, and every argument of it that carries authority. */
function isPinnedBy(pinned: readonly string[], touch: Touch, { tool, args }: Action): boolean {
  if (tool === undefined) return true;
  if (touch.kind !== "tool") return false;
  const { args: given } = args as { args: object }; // a pin fits nothing else
  return (tool.authority ?? []).every(
    (name) => pinned.includes(name) || !Object.hasOwn(given, name),
  );
}

function policy(process: Process, subject: Subject, laws: Laws): Verdict {
  const verdict = laws.policy().decide(subject, laws.layersFor(process));
  if (verdict.effect === "kill")
    throw new Violation(verdict.say ?? `${subject.call} is forbidden by the rule ${verdict.rule}`);
  if (verdict.effect === "deny") throw noPolicy(subject, verdict);
  return verdict;
}

function approval(
  process: Process,
  action: Action,
  laws: Laws,
  { verdict, subject }: { readonly verdict: Verdict; readonly subject: Subject },
  standing: readonly Block[],
): Coverage | undefined {
  if (verdict.effect !== "ask") return undefined;
  const { rule, everyTime } = verdict.ask!;
  const rules = rulesIn(rule);
  const { runs } = action;
  // G5. One that says nothing of what would have run is from before it was asked about.
  const same = standing.filter((one) => runs !== undefined && one.runs === runs.digest);
  const answered = new Set(same.flatMap((one) => rulesIn(one.standing!)));
  const stands = !everyTime && rules.every((one) => answered.has(one));
  if (!stands && !laws.isApproved(process, digestOfAction(action, process.pid), rule))
    throw new NeedsApproval(verdict);
  const ofCall = laws.policy().asksOfCall(subject, laws.layersFor(process));
  return coverageOf(rules, rulesIn(ofCall), runs);
}

/** Judges, and takes at once what the action may use up. */
export function permit(
  process: Process,
  action: Action,
  laws: Laws,
  nowMs: number,
  isBegun: boolean,
): Permit {
  const permit = judgeUnpaid(process, action, laws, nowMs, isBegun);
  permit.hold = process.account.reserve(action.worst, purposeOf(action, nowMs));
  laws.charge(process, action);
  if (!isBegun) {
    take(permit.charges, action, nowMs);
    laws.policy().rates.charge(permit.rates, nowMs);
  }
  mark(process, permit.tags);
  return permit;
}

const freshTags = (label: Label, tags: readonly string[]): readonly string[] =>
  tags.filter((tag) => label.tags?.includes(tag) !== true);

function mark(process: Process, tags: readonly string[]): void {
  if (tags.length > 0) process.label = join(process.label, { ...process.label, tags });
}

/** A call is not hit by the rule that it arms. */
function without({ tags = [], ...label }: Label, own: readonly string[]): Label {
  const left = tags.filter((tag) => !own.includes(tag));
  return left.length === 0 ? label : { ...label, tags: left };
}

/** What a running call turns out to touch: judged and charged like the rest, but nobody can be asked now. */
export function permitMore(
  process: Process,
  action: Action,
  touch: Touch,
  permit: Under,
  laws: Laws,
  nowMs: number,
): Pick<Permit, "charges" | "chains" | "tags" | "expiresAt"> {
  const { charges, chains, expiresAt, verdict } = judgeMore(
    process,
    action,
    touch,
    permit,
    laws,
    nowMs,
  );
  take(charges, action, nowMs);
  const tags = freshTags(process.label, verdict.tags);
  mark(process, tags);
  return { charges, chains, expiresAt, tags };
}

/** The same question with nothing charged. */
export function wouldPermitMore(...question: Parameters<typeof judgeMore>): boolean {
  try {
    judgeMore(...question);
    return true;
  } catch {
    return false;
  }
}

function judgeMore(
  process: Process,
  action: Action,
  touch: Touch,
  permit: Under,
  laws: Laws,
  nowMs: number,
): Pick<Permit, "charges" | "chains" | "expiresAt"> & { readonly verdict: Verdict } {
  const held = capability(process, action, [touch], nowMs, false);
  const { charges, chains, expiresAt, isPinned } = held;
  const touched = { ...action, touches: [touch] };
  const judged = { pinned: isPinned, atMs: laws.timeOfDay?.() ?? nowMs, isBegun: true }; // a rule's rate counts calls
  const label = join(without(process.label, permit.tags), permit.seen ?? CLEAN);
  if (touch.kind === "http" && !mayLeave(label)) throw noFlow(label);
  const subject = { ...subjectOf(process, touched, judged), label };
  const verdict = policy(process, subject, laws);
  if (verdict.effect !== "ask") return { charges, chains, expiresAt, verdict };
  const byPin = permit.isPinned ? policy(process, { ...subject, pinned: true }, laws) : verdict;
  if (byPin.effect === "ask") refuseUncovered(touch, action, permit.covers, byPin.ask!);
  else refuseUnpinned(process, touch, action, verdict.ask!);
  return { charges, chains, expiresAt, verdict };
}
