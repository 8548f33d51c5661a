// The gate: the one way from a program to the world. `pass` reads from top to bottom in the order of
// its steps, and the first that refuses ends it.
//
//   replay      a call that the journal answers never gets here (process/replay.ts)
//   describe    what the call would do (action.ts)
//   capability, policy, labels, quota, approval, budget   (judge.ts: no await from test to charge)
//   intent      on the disk first, when the effect is external
//   perform     the answer (answers/)
//   settle      what it really cost; what the process has read
//   record      one journal row; told to the program in the order of the journal
//
// T1  An external effect runs only after its intent is durable.
// T2  What someone outside can see runs only after all that led to it is durable.
// T3  An error inside the gate is a refusal.
// T4  An external effect that a crash left in doubt is not run again unless somebody says so.

import { exitCodes, SysError, type Json, type SyscallName, type WaitKind } from "@aos/protocol";
import { Questions } from "../approval/questions.ts";
import { NOTHING } from "../budget/accounts.ts";
import { spend } from "../capability/index.ts";
import { encodeText, textOf } from "../journal/codec.ts";
import { callText, intentText, outcomeText, type Settled } from "../journal/record-text.ts";
import { join, labelText } from "../label/label.ts";
import { Blocks } from "../process/blocks.ts";
import type { Call, Process } from "../process/process.ts";
import type { Write } from "../store/contract.ts";
import type { QuestionRow } from "../store/rows.ts";
import { describe, digestOfAction, targetOf, type Action } from "./action.ts";
import type { Answer, Answered, Asked, World } from "./answer.ts";
import { answers } from "./answers/index.ts";
import { keyOf } from "./answers/devices.ts";
import { judge, NeedsApproval, permit, Violation, type Laws, type Permit } from "./judge.ts";

const MAX_TIMER_MS = 2 ** 31 - 1;

export interface GateHooks {
  /** The record is appended; the program may be told when `durable`, or at once. */
  readonly deliver: (
    process: Process,
    call: Call,
    settled: { ok?: Json; err?: Settled["err"] },
  ) => void;
  readonly waiting: (process: Process) => void;
}

export class Gate {
  readonly #world: World;
  readonly #laws: Laws;
  readonly #hooks: GateHooks;
  /** Digests that a person allowed, by process. */
  readonly #approved = new WeakMap<Process, Set<string>>();

  constructor(world: World, laws: Omit<Laws, "isApproved">, hooks: GateHooks) {
    this.#world = world;
    this.#laws = {
      ...laws,
      isApproved: (process, digest) => this.#approved.get(process)?.has(digest) === true,
    };
    this.#hooks = hooks;
  }

  async pass(process: Process, call: Call): Promise<void> {
    let action: Action | undefined;
    let allowed: Permit | undefined;
    let answered: Answered | undefined;
    let failure: SysError | undefined;
    try {
      const target = targetOf(call);
      const row = target === undefined ? undefined : await this.#world.find(process, target);
      action = describe(call, process, this.#world.devices, row);
      allowed =
        this.#permit(process, action) ?? (await this.#permitByPerson(process, call, action));
      if (action.effect === "external") answered = await this.#intend(process, call);
      else if (action.isVisible) await this.#world.journal.durable();
      if (call.cancelled) return this.#unreserve(process, action, allowed);
      if (answered !== undefined) allowed = { ...allowed, verdict: "taken as done by a person" };
      else {
        const answer = answers[call.name as keyof typeof answers] as Answer<SyscallName>;
        answered = await answer(
          this.#world,
          (call.args ?? {}) as never,
          this.#asked(process, call, action, allowed),
        );
      }
    } catch (error) {
      if (error instanceof Violation) return this.#violate(process, error);
      failure = asRefusal(error, action === undefined);
    }
    if (call.cancelled || process.pending.get(call.n) !== call)
      return this.#unreserve(process, action, allowed);
    this.#settle(process, call, action, allowed, answered, failure);
  }

  /** What the gate would say to this call, with nothing charged and nothing done. */
  async wouldBe(process: Process, name: string, args: Json): Promise<Json> {
    try {
      const call = { name: name as SyscallName, args };
      const target = targetOf(call);
      const row = target === undefined ? undefined : await this.#world.find(process, target);
      judge(
        process,
        describe(call, process, this.#world.devices, row),
        this.#laws,
        this.#world.platform.now(),
      );
      return { allow: true };
    } catch (error) {
      if (error instanceof NeedsApproval)
        return { allow: false, code: "EDENIED", reason: error.message };
      const { code, message, hint } = asRefusal(error, false);
      return { allow: false, code, reason: message, ...(hint === undefined ? {} : { hint }) };
    }
  }

  /** Begins a call that is two records: intent now, outcome later. */
  intend(asked: Asked, writes: readonly Write[]): void {
    this.#appendIntent(asked.process, asked.call, 1, writes);
  }

  #permit(process: Process, action: Action): Permit | undefined {
    try {
      return permit(process, action, this.#laws, this.#world.platform.now());
    } catch (error) {
      if (error instanceof NeedsApproval) return undefined;
      throw error;
    }
  }

  /** The attempt has ended for want of a person's word; with it the whole judgement is made again. */
  async #permitByPerson(process: Process, call: Call, action: Action): Promise<Permit> {
    const digest = digestOfAction(action, process.pid);
    const question = `${process.row.agent} wants to ${action.call} ${JSON.stringify(action.args)}`;
    const answer = await this.#askPerson(
      process,
      call,
      "policy",
      question,
      ["approve", "deny"],
      digest,
    );
    if (answer !== "approve") throw new SysError("EDENIED", `a person said no to ${action.call}`);
    const digests = this.#approved.get(process) ?? new Set();
    digests.add(digest);
    this.#approved.set(process, digests);
    return permit(process, action, this.#laws, this.#world.platform.now());
  }

  /** T1. Answers only where a person has said that what a crash left in doubt was done. */
  async #intend(process: Process, call: Call): Promise<Answered | undefined> {
    if (call.intent !== undefined && (await this.#resolveDoubt(process, call)) === "done")
      return { value: null, spent: { usd: 0, tokens: 0, toolCalls: 1 } };
    if (call.cancelled) return undefined;
    this.#appendIntent(process, call, (call.intent?.attempt ?? 0) + 1, []);
    await this.#world.journal.durable();
    return undefined;
  }

  #appendIntent(process: Process, call: Call, attempt: number, writes: readonly Write[]): void {
    const head = { seq: process.seq + 1, at: this.#world.platform.now(), cause: call.cause };
    const text = intentText(head, {
      n: call.n,
      call: call.name,
      args: call.text,
      key: keyOf({ process, call }),
      attempt,
    });
    this.#append(process, text, [...this.#blobs(process, call.blobs), ...writes]);
    call.intent = {
      ...head,
      kind: "intent",
      n: call.n,
      call: call.name,
      args: null,
      key: "",
      attempt,
    };
  }

  async #resolveDoubt(process: Process, call: Call): Promise<"retry" | "done"> {
    const { onDoubt = "ask" } = call.args as { onDoubt?: "fail" | "retry" | "ask" };
    const what = `${call.name} ${call.text}`.slice(0, 1000);
    const inDoubt = new SysError("EINDOUBT", `a crash hid whether this happened: ${what}`, {
      hint: "onDoubt: retry runs it again, ask lets a person say",
    });
    if (onDoubt === "retry") return "retry";
    if (onDoubt === "fail") throw inDoubt;
    const attempt = call.intent!.attempt;
    const question = `A crash hid whether this happened: ${what}. Run it again, take it as done, or as failed?`;
    const answer = await this.#askPerson(
      process,
      call,
      "doubt",
      question,
      ["retry", "done", "fail"],
      digestOfAction({ call: call.name, args: call.args } as Action, process.pid),
      attempt,
    );
    if (answer !== "retry" && answer !== "done") throw inDoubt;
    return answer;
  }

  async #askPerson(
    process: Process,
    call: Call,
    kind: QuestionRow["kind"],
    question: string,
    choices: string[],
    digest: string,
    attempt = 0,
  ): Promise<string> {
    const id = Questions.id(process.pid, call.n, kind, attempt);
    const answered = await this.#waitFor(process, call, "approval", undefined, (answer) => {
      const row: QuestionRow = {
        id,
        kind,
        question,
        choices,
        digest,
        tenant: process.tenant,
        process: process.key,
        pid: process.pid,
        n: call.n,
        askedAt: this.#world.platform.now(),
        expiresAt: null,
        answer: null,
        answeredBy: null,
        answeredAt: null,
      };
      this.#world.questions
        .ask(process, row, (known) => answer({ value: known.answer }))
        .catch((error: unknown) => answer(error as Error));
      return () => this.#world.questions.forget(id);
    });
    return answered.value as string;
  }

  #asked(process: Process, call: Call, action: Action, permit: Permit): Asked {
    return {
      process,
      call,
      action,
      permit,
      waitFor: (kind, until, begin, mayLeave) =>
        this.#waitFor(process, call, kind, until, begin, mayLeave),
    };
  }

  #waitFor(
    process: Process,
    call: Call,
    kind: WaitKind,
    until: number | undefined,
    begin: (answer: (answered: Answered | Error) => void) => () => void,
    mayLeave = true,
  ): Promise<Answered> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      let stop: (() => void) | undefined;
      let isOver = false;
      const over = () => {
        isOver = true;
        clearTimeout(timer);
        call.onCancel = undefined;
        call.waitsOn = null;
        call.dormant = false;
        call.until = undefined;
      };
      const answer = (answered: Answered | Error) => {
        if (isOver) return;
        over();
        if (answered instanceof Error) reject(answered);
        else resolve(answered);
      };
      const untilThen = () => {
        const leftMs = until! - this.#world.platform.now();
        if (leftMs > 0) timer = setTimeout(untilThen, Math.min(leftMs, MAX_TIMER_MS));
        else {
          stop?.();
          answer(new SysError("ETIMEDOUT", `nothing came in time`));
        }
      };
      stop = begin(answer);
      if (isOver) return;
      call.waitsOn = kind;
      call.dormant = mayLeave;
      call.until = until;
      call.onCancel = () => {
        stop?.();
        over(); // whoever cancels wants no answer
      };
      if (until !== undefined) untilThen();
      if (!isOver) this.#hooks.waiting(process);
    });
  }

  #settle(
    process: Process,
    call: Call,
    action: Action | undefined,
    allowed: Permit | undefined,
    answered: Answered | undefined,
    failed: SysError | undefined,
  ): void {
    const { spent = NOTHING } = answered ?? {};
    const worst = action?.worst ?? NOTHING;
    let failure = failed;
    let text = "null";
    if (answered !== undefined) {
      text = textOf(answered.value);
      if (allowed?.bytesLeft !== undefined && text.length > allowed.bytesLeft) {
        failure = new SysError(
          "EBUDGET",
          `the result has ${text.length} bytes, and the grant has ${allowed.bytesLeft} left`,
        );
      }
    }
    if (action !== undefined && allowed !== undefined) {
      if (failure !== undefined) this.#laws.release(process, action);
      process.account.settle(worst, spent);
      if (allowed.charges.length > 0)
        spend(allowed.charges, {
          usd: spent.usd - worst.usd,
          bytes: failure === undefined ? text.length : 0,
        });
    }

    const label =
      answered?.label === undefined ? process.label : join(process.label, answered.label);
    const isChanged = label !== process.label || call.name === "checkpoint";
    process.label = label;

    const ok = failure === undefined ? encodeText(text) : undefined;
    const settled: Settled = {
      ...(ok === undefined ? { err: failure!.toText() } : { ok: ok.text }),
      ...(spent.usd > 0 ? { usd: spent.usd } : {}),
      ...(spent.tokens > 0 ? { tokens: spent.tokens } : {}),
      ...(isChanged ? { label: labelText(label) } : {}),
      ...(allowed?.verdict === undefined ? {} : { verdict: allowed.verdict }),
    };
    const head = {
      seq: process.seq + 1,
      at: this.#world.platform.now(),
      cause: answered?.cause ?? call.cause,
    };
    const record =
      call.intent === undefined
        ? callText(head, call.n, call.name, call.text, settled)
        : outcomeText(head, call.n, settled);
    const writes: Write[] = [];
    if (call.intent === undefined && call.blobs.length > 0)
      writes.push(...this.#blobs(process, call.blobs));
    if (ok !== undefined && ok.blobs.length > 0) writes.push(...this.#blobs(process, ok.blobs));
    if (failure === undefined && answered?.writes !== undefined) writes.push(...answered.writes);
    if (allowed !== undefined && allowed.charges.length > 0)
      writes.push(...Blocks.writes(allowed.charges, process.tenant));
    process.pending.delete(call.n);
    this.#append(process, record, writes, spent === NOTHING ? undefined : spent);
    if (failure === undefined) answered?.after?.();
    this.#hooks.deliver(
      process,
      call,
      failure === undefined ? { ok: JSON.parse(text) as Json } : { err: failure.toText() },
    );
  }

  #append(
    process: Process,
    text: string,
    writes: Write[],
    spent?: { usd: number; tokens: number; toolCalls: number },
  ): void {
    if (process.asleep) {
      process.asleep = false;
      writes.push({
        op: "process.patch",
        key: process.key,
        patch: { state: process.state, waitingOn: null, wakeAt: null },
      });
    }
    this.#world.journal.append(process, text, writes, spent);
  }

  #blobs(process: Process, blobs: Call["blobs"]): Write[] {
    return blobs.map((blob) => ({
      op: "blob.put",
      tenant: process.tenant,
      process: process.key,
      ...blob,
    }));
  }

  #unreserve(process: Process, action: Action | undefined, allowed: Permit | undefined): void {
    if (action === undefined || allowed === undefined) return;
    process.account.settle(action.worst, NOTHING);
    this.#laws.release(process, action);
  }

  #violate(process: Process, violation: Violation): void {
    this.#world.endings.finish(process, {
      state: "killed",
      code: exitCodes.refused,
      error: { code: "EPOLICY", message: `SIGPOLICY: ${violation.message}` },
    });
  }
}

/** T3. What is thrown while an action is judged and is no failure of ours is a refusal all the same. */
function asRefusal(error: unknown, isUndescribed: boolean): SysError {
  if (error instanceof SysError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return isUndescribed
    ? new SysError("EINVAL", `the call could not be understood: ${message}`)
    : new SysError("EINTERNAL", `the gate failed, and so refuses: ${message}`);
}
