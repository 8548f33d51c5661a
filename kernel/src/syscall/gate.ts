// The gate: every system call passes it. `pass` reads from top to bottom in the order of its steps, and the first
// that refuses ends it.
//
//   replay      a call that the journal answers never gets here (process/replay.ts)
//   describe    what the call would do (action.ts)
//   capability, policy, labels, quota, approval, budget   (judge.ts: no await from test to charge)
//   intent      on the disk first, if the effect is external
//   perform     the handler of the call (handlers/)
//   settle      the real cost and the label (settlement.ts)
//   record      one journal row; delivered to the program in journal order
//
// GATE-1  An external effect runs only after its intent is durable.
// GATE-2  A call that someone outside can see runs only after everything that led to it is durable.
// GATE-3  An error inside the gate is a refusal.
// GATE-4  An external effect that a crash or a damaged store left in doubt is repeated only if the program or a
//     person says so.

import { exitCodes, type Json, type SysError, type SyscallName } from "@aos/protocol";
import { NOTHING, ONE_TOOL_CALL } from "../budget/accounts.ts";
import { intentText } from "../journal/record-text.ts";
import { BlockRegistry } from "../process/blocks.ts";
import { isWithDriver, type PendingCall, type Process } from "../process/process.ts";
import type { Write } from "../store/base-contract.ts";
import { describe, type Action } from "./action.ts";
import { wouldDo } from "./dry-run.ts";
import type { GateServices } from "./gate-services.ts";
import {
  keyOf,
  type SyscallResult,
  type CallContext,
  type HandledCall,
  type SyscallHandlers,
} from "./syscall-handler.ts";
import { look, needsFacts, NO_FACTS, type CallFacts } from "./facts.ts";
import { PermitIssuer } from "./permit-issuer.ts";
import { GateCallContext, type CallSupport } from "./call-context.ts";
import { Violation, type JudgeRules, type Permit } from "./judge.ts";
import { withinBudget } from "./output-limit.ts";
import { ApprovalRequests } from "./approval-requests.ts";
import { asRefusal, refusalResult, withWords } from "./refusal-result.ts";
import { isProbing } from "./probing.ts";
import { argumentWrites, settle, type Settlement, type CallOutcome } from "./settlement.ts";
import { waitFor, type Wait } from "./waiting.ts";

export interface GateHooks {
  /** The record is appended; the program may be told when it is durable, or at once. */
  readonly deliver: (process: Process, call: PendingCall, told: Settlement["told"]) => void;
  readonly waiting: (process: Process) => void;
}

export class Gate {
  readonly #services: GateServices;
  readonly #handlers: SyscallHandlers;
  readonly #laws: JudgeRules;
  readonly #hooks: GateHooks;
  readonly #people: ApprovalRequests;
  readonly #allowing: PermitIssuer;
  readonly #support: CallSupport;

  constructor(
    services: GateServices,
    handlers: SyscallHandlers,
    laws: Omit<JudgeRules, "isApproved">,
    hooks: GateHooks,
  ) {
    this.#services = services;
    this.#handlers = handlers;
    this.#allowing = new PermitIssuer(services, laws);
    this.#laws = this.#allowing.laws;
    this.#hooks = hooks;
    this.#people = new ApprovalRequests({
      ...services,
      wait: (process, call, begin) =>
        this.#wait(process, call, { kind: "approval", until: undefined, begin, mayLeave: false }),
    });
    this.#support = {
      services,
      laws: this.#laws,
      people: this.#people,
      wait: (process, call, wait) => this.#wait(process, call, wait),
    };
  }

  async pass(process: Process, call: PendingCall): Promise<void> {
    let action: Action | undefined;
    let allowed: Permit | undefined;
    let answered: SyscallResult | undefined;
    let failure: SysError | undefined;
    try {
      const facts = needsFacts(process, call, this.#services.devices)
        ? await look(this.#services, process, call)
        : NO_FACTS;
      action = this.#describe(call, process, facts);
      allowed = this.#allowing.allowAtOnce(process, call, action);
      if (allowed === undefined)
        ({ action, permit: allowed } = await this.#allowing.allow(process, call, this.#people));
      call.hold = allowed.hold;
      call.chains = allowed.chains;
      call.expiresAt = allowed.expiresAt;
      call.touches = action.touches;
      if (action.sinks.length > 0) await this.#services.mark(process, action, action.touches);
      if (allowed.dryRun) answered = { value: wouldDo(action) };
      else if (action.effect === "external") answered = await this.#intend(process, call, allowed);
      else if (action.isVisible) await this.#services.journal.durable();
      if (call.cancelled) return this.#giveBack(process, call, action, allowed);
      if (answered === undefined) {
        const answer = this.#perform(process, call, action, allowed);
        answered = answer instanceof Promise ? await answer : answer;
      } else if (!allowed.dryRun) allowed = { ...allowed, verdict: "taken as done by a person" };
    } catch (error) {
      if (error instanceof Violation) return this.#violate(process, error);
      failure = asRefusal(error, action === undefined);
      call.failureLabel = withWords(process, failure, call.failureLabel);
    }
    if (call.cancelled || process.pending.get(call.n) !== call)
      return this.#giveBack(process, call, action, allowed);
    this.#record({ process, call, action, allowed, answered, failure });
  }

  /** What the gate would say to this call, with nothing charged and nothing done. */
  async wouldBe(process: Process, name: string, args: Json): Promise<Json> {
    try {
      const call = { name: name as SyscallName, args };
      const facts = await look(this.#services, process, call);
      const action = this.#describe(call, process, facts);
      await this.#allowing.judge(process, call, action);
      return { allow: true };
    } catch (error) {
      return refusalResult(error);
    }
  }

  /** What it would do; a model's answer is limited to what can be paid for. */
  #describe(call: Pick<PendingCall, "name" | "args">, process: Process, facts: CallFacts): Action {
    const action = describe(call, process, this.#services.devices, facts);
    return withinBudget(action, process, this.#services.platform.now());
  }

  /** Begins a call that is two records: intent now, outcome later. */
  intend({ process, call, permit }: CallContext, writes: readonly Write[]): void {
    this.#appendIntent(process, call, 1, permit, writes);
  }

  /** GATE-1, GATE-4. Answers only where a person has said that what a crash left in doubt was done. */
  async #intend(
    process: Process,
    call: PendingCall,
    allowed: Permit,
  ): Promise<SyscallResult | undefined> {
    if (call.intent === undefined && this.#services.wasBegun(process))
      this.#appendIntent(process, call, 1, allowed, []);
    const isDone =
      call.intent !== undefined &&
      (await this.#people.resolveDoubt(process, call, () =>
        this.#allowing.identified(process, call),
      )) === "done";
    if (!isDone && !call.cancelled) {
      this.#appendIntent(process, call, (call.intent?.attempt ?? 0) + 1, allowed, []);
      await this.#services.journal.durable();
      await this.#services.confirmOurs(process);
    }
    return isDone ? { value: null, spent: ONE_TOOL_CALL } : undefined;
  }

  /** With it is kept what the call was counted on: begun is used, whatever becomes of it. */
  #appendIntent(
    process: Process,
    call: PendingCall,
    attempt: number,
    allowed: Permit,
    writes: readonly Write[],
  ): void {
    const head = { seq: process.seq + 1, at: this.#services.platform.now(), cause: call.cause };
    const key = keyOf({ process, call });
    const intent = { n: call.n, call: call.name, key, attempt };
    const charges = BlockRegistry.writes(allowed.charges, process.tenant);
    this.#append(process, intentText(head, { ...intent, args: call.text }), [
      ...argumentWrites(process, call, head.seq),
      ...charges,
      ...writes,
    ]);
    call.intent = { ...head, ...intent, kind: "intent", args: null };
  }

  #perform(
    process: Process,
    call: PendingCall,
    action: Action,
    permit: Permit,
  ): SyscallResult | Promise<SyscallResult> {
    const asked = new GateCallContext(this.#support, process, call, action, permit);
    return this.#handlers[call.name as HandledCall]((call.args ?? {}) as never, asked);
  }

  #wait(process: Process, call: PendingCall, wait: Wait): Promise<SyscallResult> {
    return waitFor(call, wait, this.#services.platform, () => this.#hooks.waiting(process));
  }

  #record(tried: CallOutcome): void {
    const { process, call, action, allowed, answered } = tried;
    const now = this.#services.platform.now();
    const { record, writes, spend, crossings, told } = settle(tried, now, this.#services.scrub);
    if (allowed !== undefined && allowed.rates.length > 0)
      writes.push(...this.#services.rateWrites(allowed.rates));
    if ("err" in told && action !== undefined && allowed !== undefined)
      this.#laws.release(process, action);
    process.pending.delete(call.n);
    this.#append(process, record, writes, spend);
    for (const crossing of crossings) this.#services.tellBudget(process, crossing);
    if ("ok" in told) answered?.after?.();
    this.#hooks.deliver(process, call, told);
    if (process.mailbox.hasReplies) this.#services.deadLetters.bury(process);
    const { denialsPerMinute: most } = this.#services.limits;
    if ("err" in told && allowed === undefined && isProbing(process, told.err.code, now, most))
      this.#violate(process, new Violation(`it was refused more than ${most} times in a minute`));
  }

  #append(process: Process, text: string, writes: Write[], spend?: Settlement["spend"]): void {
    if (process.asleep) {
      process.asleep = false;
      const patch = { state: process.state, waitingOn: null, wakeAt: null, label: null };
      writes.push({ op: "process.patch", key: process.key, patch });
    }
    this.#services.journal.append(process, text, writes, spend);
  }

  /** Nobody waits for it any more: what was reserved for it is free again, and what it used is not. */
  #giveBack(
    process: Process,
    call: PendingCall,
    action: Action | undefined,
    allowed: Permit | undefined,
  ): void {
    if (action === undefined || allowed === undefined) return;
    const { hold } = allowed;
    hold?.settle(isWithDriver(call) ? hold.worst : NOTHING, this.#services.platform.now());
    this.#laws.release(process, action);
  }

  #violate(process: Process, violation: Violation): void {
    this.#services.endings.finish(process, {
      state: "killed",
      code: exitCodes.refused,
      error: { code: "EPOLICY", message: `SIGPOLICY: ${violation.message}` },
    });
  }
}
