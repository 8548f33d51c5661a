// Judge: from a described action to a permit or a refusal. There is no `await` in here: nothing can happen between a
// check and its charge.
//
// Order: capability, policy, labels, quota, approval, budget. The first refusal ends it, with the check, the nearest
// capability, and what would have allowed it (refusal-texts.ts).
//
// G1-G3 are what capabilities say (capability-check.ts).
// JUDGE-4  An approval covers what the running call then touches, as far as it was shown (coverage.ts).
// JUDGE-5  An "always" answers only the rules that asked then, for what would have run then.

import { type Label, type SignalName, SysError, type Touch } from "@aos/protocol";
import type { CapabilityBlock, CapabilityCharge } from "../capability/index.ts";
import { CLEAN, join, mayLeave } from "../label/label.ts";
import type { Platform } from "../platform/clock.ts";
import type { ApprovalDemand, Policy, RateUse, Subject, Verdict } from "../policy/index.ts";
import type { Policies } from "../policy/policies.ts";
import type { PendingCall, Process } from "../process/process.ts";
import { purposeOf } from "../process/spending.ts";
import type { ProcessTrees } from "../process/trees.ts";
import { type Action, digestOfAction } from "./action.ts";
import { checkCapability, ruleRemarks, smallerOf, takeCharges } from "./capability-check.ts";
import {
  type ApprovalCoverage,
  coverageOf,
  refuseUncovered,
  refuseUnpinned,
  rulesIn,
} from "./coverage.ts";
import { canBeTried } from "./dry-run.ts";
import type { RefusalTexts } from "./refusal-texts.ts";
import { subjectOf } from "./subject.ts";
import { Violation } from "./violation.ts";

export { currentChains } from "./capability-check.ts";
export { Violation } from "./violation.ts";

export interface Permit {
  /** Grows with what the call turns out to touch while it runs. */
  charges: readonly CapabilityCharge[];
  /** The ends of the chains that allowed it. */
  readonly chains: readonly CapabilityBlock[];
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
  readonly covers: ApprovalCoverage | undefined;
  /** A pin stands for a person's word. */
  readonly isPinned: boolean;
  /** What is to be said of it in its record. */
  readonly verdict: string | undefined;
  hold?: NonNullable<PendingCall["hold"]>; // absent while it is only judged
}

type Under = Pick<Permit, "tags" | "covers" | "isPinned" | "seen">;

/** Thrown when a person has to say. The attempt ends; the answer starts a new one. */
export class NeedsApproval extends Error {
  readonly ask: ApprovalDemand;
  readonly say: string | undefined;

  constructor({ ask, say }: Verdict) {
    super(`needs approval by ${ask!.rule}`);
    this.ask = ask!;
    this.say = say;
  }
}

export interface JudgeRules {
  readonly words: RefusalTexts;
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

/** What the gate says, with nothing charged. What was begun before was counted then. */
export function judge(
  process: Process,
  action: Action,
  rules: JudgeRules,
  nowMs: number,
  isBegun = false,
): Permit {
  const permit = judgeUnpaid(process, action, rules, nowMs, isBegun);
  process.account.mustCover(action.worst, purposeOf(action, nowMs));
  return permit;
}

/** Every check but the last, the budget: to look at it and to reserve it refuse the same. */
function judgeUnpaid(
  process: Process,
  action: Action,
  rules: JudgeRules,
  nowMs: number,
  isBegun: boolean,
): Permit {
  const powers = checkCapability(process, action, action.touches, nowMs, isBegun, rules.words);
  const asSubject = () => {
    const atMs = rules.timeOfDay?.() ?? nowMs;
    return subjectOf(process, action, { pinned: powers.isPinned, atMs, isBegun });
  };
  const verdict = settledPolicy(process, action, rules) ?? policy(process, asSubject(), rules);
  if (action.call === "signal") allowedSignal(process, action, rules);
  checkLabels(process, action, rules);
  rules.quota(process, action);
  const covers =
    verdict.effect === "ask"
      ? approval(process, action, rules, { verdict, subject: asSubject() }, powers.standing)
      : undefined;
  return {
    charges: powers.charges,
    chains: powers.chains,
    expiresAt: powers.expiresAt,
    rates: verdict.rates,
    timeoutMs: smallerOf(powers.timeoutMs, verdict.timeoutMs),
    maxBytes: verdict.maxBytes,
    dryRun: verdict.dryRun && canBeTried(action),
    tags: freshTags(process.label, verdict.tags),
    covers,
    isPinned: powers.isPinned,
    verdict: ruleRemarks(verdict),
  };
}

/** Where all calls of this sort are allowed, whatever else there is to them (policy/verdict-cache.ts). */
const settledPolicy = (
  process: Process,
  { call, tool, effect, sinks, touches }: Action,
  rules: JudgeRules,
): Verdict | undefined =>
  rules
    .policy()
    .settled({ call, tool: tool?.name, effect, sinks, touches }, rules.layersFor(process));

function policy(process: Process, subject: Subject, rules: JudgeRules): Verdict {
  const verdict = rules.policy().decide(subject, rules.layersFor(process));
  if (verdict.effect === "kill")
    throw new Violation(verdict.say ?? `${subject.call} is forbidden by the rule ${verdict.rule}`);
  if (verdict.effect === "deny") throw rules.words.noPolicy(subject, verdict);
  return verdict;
}

function approval(
  process: Process,
  action: Action,
  judgeRules: JudgeRules,
  { verdict, subject }: { readonly verdict: Verdict; readonly subject: Subject },
  standing: readonly CapabilityBlock[],
): ApprovalCoverage {
  const { rule, everyTime } = verdict.ask!;
  const rules = rulesIn(rule);
  const { runs } = action;
  // JUDGE-5. One that says nothing of what would have run is from before it was asked about.
  const same = standing.filter((one) => runs !== undefined && one.runs === runs.digest);
  const answered = new Set(same.flatMap((one) => rulesIn(one.standing!)));
  const stands = !everyTime && rules.every((one) => answered.has(one));
  if (!stands && !judgeRules.isApproved(process, digestOfAction(action, process.pid), rule))
    throw new NeedsApproval(verdict);
  const ofCall = judgeRules.policy().asksOfCall(subject, judgeRules.layersFor(process));
  return coverageOf(rules, rulesIn(ofCall), runs);
}

/** Judges, and takes at once what the action may use up. */
export function permit(
  process: Process,
  action: Action,
  rules: JudgeRules,
  nowMs: number,
  isBegun: boolean,
): Permit {
  const permit = judgeUnpaid(process, action, rules, nowMs, isBegun);
  permit.hold = process.account.reserve(action.worst, purposeOf(action, nowMs));
  rules.charge(process, action);
  if (!isBegun) {
    takeCharges(permit.charges, action, nowMs);
    rules.policy().rates.charge(permit.rates, nowMs);
  }
  mark(process, permit.tags);
  return permit;
}

/** What a running call turns out to touch: judged and charged like the rest, but nobody can be asked now. */
export function permitMore(
  process: Process,
  action: Action,
  touch: Touch,
  permit: Under,
  rules: JudgeRules,
  nowMs: number,
): Pick<Permit, "charges" | "chains" | "tags" | "expiresAt"> {
  const { charges, chains, expiresAt, verdict } = judgeMore(
    process,
    action,
    touch,
    permit,
    rules,
    nowMs,
  );
  takeCharges(charges, action, nowMs);
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
  rules: JudgeRules,
  nowMs: number,
): Pick<Permit, "charges" | "chains" | "expiresAt"> & { readonly verdict: Verdict } {
  const held = checkCapability(process, action, [touch], nowMs, false, rules.words);
  const { charges, chains, expiresAt, isPinned } = held;
  const touched = { ...action, touches: [touch] };
  const judged = { pinned: isPinned, atMs: rules.timeOfDay?.() ?? nowMs, isBegun: true }; // a rule's rate counts calls
  const label = join(without(process.label, permit.tags), permit.seen ?? CLEAN);
  if (touch.kind === "http" && !mayLeave(label)) throw rules.words.noFlow(label);
  const subject = { ...subjectOf(process, touched, judged), label };
  const verdict = policy(process, subject, rules);
  if (verdict.effect !== "ask") return { charges, chains, expiresAt, verdict };
  const byPin = permit.isPinned ? policy(process, { ...subject, pinned: true }, rules) : verdict;
  if (byPin.effect === "ask")
    refuseUncovered(touch, action, permit.covers, byPin.ask!, rules.words);
  else refuseUnpinned(process, touch, action, verdict.ask!, rules.words);
  return { charges, chains, expiresAt, verdict };
}

/** Both the one that sends and the one that would get it must be allowed the signal. */
function allowedSignal(process: Process, { args, target }: Action, rules: JudgeRules): void {
  const { signal } = args as { signal: SignalName };
  const layers = [...rules.layersFor(process), ...(target?.spec.layers ?? [])];
  if (rules.policy().allowsSignal(layers, signal)) return;
  throw new SysError("EPOLICY", `the policy does not allow the signal ${signal}`);
}

function checkLabels(process: Process, action: Action, { words }: JudgeRules): void {
  if (action.sinks.includes("egress") && !mayLeave(process.label))
    throw words.noFlow(process.label);
}

/** The marks that sequence rules put on a label, and that it does not have yet. */
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

type Named = { readonly call: string };

const isSpawn = ({ call }: Named): boolean => call === "spawn";

/**
 * What the judge applies besides capabilities: the policy in force, and the spawn limits of process trees. The limits
 * are the gate's quotas: taken when a spawn is allowed, given back when it fails.
 */
export const judgeRulesOf = (
  policies: Policies,
  trees: ProcessTrees,
  platform: Pick<Platform, "wall">,
  words: RefusalTexts,
) => ({
  words,
  timeOfDay: () => platform.wall(),
  policy: () => policies.current,
  layersFor: (process: Pick<Process, "layers">) => policies.layersFor(process),
  quota: (process: Process, action: Named) => {
    if (isSpawn(action)) trees.refuseFull(process);
  },
  charge: (process: Process, action: Named) => {
    if (isSpawn(action)) trees.add(process.row.root, 1);
  },
  release: (process: Process, action: Named) => {
    if (isSpawn(action)) trees.add(process.row.root, -1);
  },
});
