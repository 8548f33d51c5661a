// GateCallContext: an allowed call as its handler sees it: what it is, and what it may still ask of the gate.
//
// SYSCALL-CALL-CONTEXT-1  What a running call turns out to touch is judged, charged and marked like the rest, before
//     it is used.
// SYSCALL-CALL-CONTEXT-2  `touched` is never changed in place: a reader keeps the list of that moment.

import type { HeldPattern, Json, PersonQuestion, Sink, Touch, WaitKind } from "@aos/protocol";
import type { PendingCall, Process } from "../process/process.ts";
import type { Action } from "./action.ts";
import type { GateServices } from "./gate-services.ts";
import type { SyscallResult, CallContext } from "./syscall-handler.ts";
import { grantedTo, permitsMore } from "./permission-preview.ts";
import { permitMore, currentChains, type JudgeRules, type Permit } from "./judge.ts";
import type { ApprovalRequests } from "./approval-requests.ts";
import { withWords } from "./refusal-result.ts";
import type { BeginCall, Wait } from "./waiting.ts";

/** What all calls have in common: one for a gate. */
export interface CallSupport {
  readonly services: Pick<GateServices, "platform" | "mark">;
  readonly laws: JudgeRules;
  readonly people: Pick<ApprovalRequests, "inquire">;
  readonly wait: (process: Process, call: PendingCall, wait: Wait) => Promise<SyscallResult>;
}

export class GateCallContext implements CallContext {
  readonly process: Process;
  readonly call: PendingCall;
  readonly action: Action;
  readonly permit: Permit;
  touched: readonly Touch[];
  marked: Promise<void> | undefined;
  readonly #support: CallSupport;

  constructor(
    support: CallSupport,
    process: Process,
    call: PendingCall,
    action: Action,
    permit: Permit,
  ) {
    this.#support = support;
    this.process = process;
    this.call = call;
    this.action = action;
    this.permit = permit;
    this.touched = action.touches;
  }

  get #now(): number {
    return this.#support.services.platform.now();
  }

  /** SYSCALL-CALL-CONTEXT-1. */
  authorize(touch: Touch): void {
    const { action, call, permit } = this;
    const isSame = (one: Touch) =>
      one.kind === touch.kind && one.resource === touch.resource && one.verb === touch.verb;
    if (this.touched.some(isSame)) return;
    const more = this.#permitMore(touch);
    permit.charges = [...permit.charges, ...more.charges];
    permit.tags = [...permit.tags, ...more.tags];
    call.chains = [...call.chains, ...more.chains];
    if ((more.expiresAt ?? Infinity) < (call.expiresAt ?? Infinity)) {
      call.expiresAt = more.expiresAt;
      call.onExpiryChange?.();
    }
    call.also = [...call.also, [touch.kind, touch.resource, touch.verb]];
    this.touched = [...this.touched, touch];
    if (action.sinks.length === 0) return;
    this.marked = this.#markMore(touch);
    this.marked.catch(() => {}); // who waits for it is told
  }

  toward(sinks: readonly Sink[]): CallContext {
    const action = { ...this.action, sinks };
    return new GateCallContext(this.#support, this.process, this.call, action, this.permit);
  }

  permits(touch: Touch): boolean {
    return permitsMore(this, touch, this.#support.laws, this.#now);
  }

  granted(kind: string): readonly HeldPattern[] {
    return grantedTo(this, kind, this.#support.laws, this.#now);
  }

  renew(): void {
    const { process, action, touched } = this;
    Object.assign(
      this.call,
      currentChains(process, action, touched, this.#now, this.#support.laws.words),
    );
  }

  inquire(question: PersonQuestion): Promise<Json> {
    return this.#support.people.inquire(this.process, this.call, this.action, question);
  }

  waitFor(
    kind: WaitKind,
    until: number | undefined,
    begin: BeginCall,
    mayLeave = true,
  ): Promise<SyscallResult> {
    return this.#support.wait(this.process, this.call, { kind, until, begin, mayLeave });
  }

  /** Whoever it runs for may be told the refusal in its own words: so it is in the result, too. */
  #permitMore(touch: Touch) {
    const { process, action, permit } = this;
    try {
      return permitMore(process, action, touch, permit, this.#support.laws, this.#now);
    } catch (error) {
      const words = withWords(process, error, permit.seen);
      if (words !== undefined) permit.seen = words;
      throw error;
    }
  }

  /** A file that is read after one is written is in it too. */
  async #markMore({ kind }: Touch): Promise<void> {
    const { process, action, marked, touched } = this;
    if (kind !== "file") return marked;
    await Promise.all([marked, this.#support.services.mark(process, action, touched)]);
  }
}
