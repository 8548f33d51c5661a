// PermitIssuer: from a described call to its permit. Where a rule requires a person, the attempt ends, and after the
// answer the whole judgement is repeated.
//
// PERMIT-ISSUER-1  An approval is for what would run when it was asked. The call is described and inspected again
//     after the yes; if anything has changed, a person is asked again.
// PERMIT-ISSUER-2  One answer is for one call and the rules that asked: another rule asks again.
// PERMIT-ISSUER-3  "Always" counts only for what would have run when it was given (judge.ts).
// PERMIT-ISSUER-4  Nothing is inspected for a call that no rule asks about.

import { approvedBy } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Platform } from "../platform/clock.ts";
import type { PendingCall, Process } from "../process/process.ts";
import { describe, digestOfAction, type Action } from "./action.ts";
import { look } from "./facts.ts";
import { judge, NeedsApproval, permit, type JudgeRules, type Permit } from "./judge.ts";
import type { DeviceLookup, FileLookup, FindProcess } from "./lookups.ts";
import { withinBudget } from "./output-limit.ts";
import type { ApprovalRequests } from "./approval-requests.ts";
import { identifyRun, type Inspect } from "./run-identity.ts";

interface Parts {
  readonly journal: Journal;
  readonly files: FileLookup;
  readonly devices: DeviceLookup;
  readonly platform: Platform;
  readonly find: FindProcess;
  readonly hold: (process: Process) => Promise<void>;
  readonly inspect: Inspect;
}

export interface PermittedAction {
  /** As it is now: what was described before a person was asked may be no more. */
  readonly action: Action;
  readonly permit: Permit;
}

export class PermitIssuer {
  readonly #parts: Parts;
  readonly #rules: JudgeRules;
  /** What a person has just allowed, by process. */
  readonly #approved = new WeakMap<Process, { readonly digest: string; readonly rule: string }>();

  constructor(parts: Parts, rules: Omit<JudgeRules, "isApproved">) {
    this.#parts = parts;
    this.#rules = {
      ...rules,
      isApproved: (process, digest, rule) => {
        const word = this.#approved.get(process);
        return word?.digest === digest && word.rule === rule;
      },
    };
  }

  get laws(): JudgeRules {
    return this.#rules;
  }

  /** The permit of a call that nobody has to be asked about; undefined where somebody has. */
  allowAtOnce(process: Process, call: PendingCall, described: Action): Permit | undefined {
    const first = this.#take(process, call, described);
    return first instanceof NeedsApproval ? undefined : first;
  }

  /** Asks people, until they have said yes to what would run. */
  async allow(
    process: Process,
    call: PendingCall,
    people: ApprovalRequests,
  ): Promise<PermittedAction> {
    await this.#parts.hold(process); // an "always" may have come since it was last in memory
    for (;;) {
      const action = await this.identified(process, call);
      const needs = this.#take(process, call, action);
      if (!(needs instanceof NeedsApproval)) return { action, permit: needs };
      const word = await people.approve(process, call, action, needs);
      const now = await this.identified(process, call); // PERMIT-ISSUER-1
      if (digestOfAction(now, process.pid) !== word.digest) continue;
      const permit = this.#takeApproved(process, call, now, { ...word, rule: needs.ask.rule });
      if (permit instanceof NeedsApproval) continue; // PERMIT-ISSUER-2
      const approved = approvedBy(`${word.by.join(", ")} (${word.question}, ${needs.ask.rule})`);
      const { verdict } = permit;
      return {
        action: now,
        permit: {
          ...permit,
          verdict: verdict === undefined ? approved : `${approved}; ${verdict}`,
        },
      };
    }
  }

  /** What would be said, with nothing charged and nobody asked; throws the refusal. */
  async judge(
    process: Process,
    call: Pick<PendingCall, "name" | "args">,
    action: Action,
  ): Promise<void> {
    const nowMs = () => this.#parts.platform.now();
    try {
      judge(process, action, this.#rules, nowMs());
    } catch (error) {
      if (!(error instanceof NeedsApproval)) throw error;
      judge(process, await this.identified(process, call), this.#rules, nowMs());
    }
  }

  /** The call as it is now, with what it would run. */
  async identified(process: Process, call: Pick<PendingCall, "name" | "args">): Promise<Action> {
    const facts = await look(this.#parts, process, call);
    const described = describe(call, process, this.#parts.devices, facts);
    const action = withinBudget(described, process, this.#parts.platform.now());
    return { ...action, runs: await identifyRun(this.#parts.inspect, process, action) };
  }

  #takeApproved(
    process: Process,
    call: PendingCall,
    action: Action,
    word: { readonly digest: string; readonly rule: string },
  ): Permit | NeedsApproval {
    this.#approved.set(process, word);
    try {
      return this.#take(process, call, action);
    } finally {
      this.#approved.delete(process); // one word, one call
    }
  }

  /** Judges, and takes what the action may use up; what was begun before was counted then. */
  #take(process: Process, call: PendingCall, action: Action): Permit | NeedsApproval {
    const isBegun = call.intent !== undefined;
    try {
      return permit(process, action, this.#rules, this.#parts.platform.now(), isBegun);
    } catch (error) {
      if (error instanceof NeedsApproval) return error;
      throw error;
    }
  }
}
