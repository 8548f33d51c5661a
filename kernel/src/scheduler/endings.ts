// ProcessEndings: ends processes and their children, and notifies waiters.
//
// ENDINGS-1  An end is recorded once, with its output, in the transaction of the row.
// ENDINGS-2  Nobody is notified of an end before it is durable.
// ENDINGS-3  A process does not outlive its parent.
// ENDINGS-4  Who waits here is told what the row says, and does not have to read it. Where another node has taken the
//            process over, nothing has ended, and nothing is told but that something happened.

import {
  usdOf,
  exitCodes,
  failures,
  leavesCoreDump,
  type Cause,
  type EndRecord,
  type EndState,
  type Ending,
  type FailureText,
  type Json,
  type ProcessId,
  type ProgramEnd,
  type SignalName,
  type SyscallArgs,
} from "@aos/protocol";
import { encodeText, toJsonText } from "../journal/codec.ts";
import type { Journal } from "../journal/journal.ts";
import { endText } from "../journal/record-text.ts";
import { labelText } from "../label/label.ts";
import type { Platform } from "../platform/clock.ts";
import type { Process } from "../process/process.ts";
import { recordLostWork, takeLostWork } from "../process/spending.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { Write } from "../store/contract.ts";
import type { ProcessKey, ProcessSpec } from "../store/rows.ts";

export interface ProcessEnd {
  readonly state: EndState;
  readonly code: number;
  readonly output?: Json;
  readonly error?: FailureText;
  readonly cause?: Cause;
}

type Returned = Extract<ProgramEnd, { kind: "returned" }>;

const LONGEST_REASON = 1000;

/** What a program said with `exit`. */
export function exitOf(args: Json): Returned & { readonly code: number } {
  const { code = 0, output = null, reason } = (args ?? {}) as Partial<SyscallArgs<"exit">>;
  const why = typeof reason === "string" ? { reason: reason.slice(0, LONGEST_REASON) } : {};
  return { kind: "returned", code, output, ...why };
}

/** What a program came to by itself, as its journal says it: without secrets. */
export function endOf(
  end: Extract<ProgramEnd, { kind: "returned" | "threw" }>,
  scrub: (text: string) => string,
  spec: Pick<ProcessSpec, "program" | "command">,
): ProcessEnd {
  if (end.kind === "threw") {
    const error = JSON.parse(scrub(JSON.stringify(end.error))) as FailureText;
    const code = isLapsed(error) ? exitCodes.leaseExpired : failures[end.error.code].exit;
    return {
      state: "failed",
      code,
      error: error.code === "EPROGRAM" ? ofProgram(error, spec) : error,
    };
  }
  const code = end.code ?? 0;
  try {
    const output = JSON.parse(scrub(toJsonText(end.output))) as Json;
    if (code === 0) return { state: "completed", code, output };
    const message = scrub(end.reason ?? `it exited with ${code}`);
    if (isUnsure(code))
      return { state: "failed", code, output, error: { code: "EUPSTREAM", message } };
    return { state: "failed", code, output, error: ofProgram({ code: "EPROGRAM", message }, spec) };
  } catch (error) {
    const message = `what it ended with is ${(error as Error).message}`;
    return { state: "failed", code: exitCodes.badInput, error: { code: "EINVAL", message } };
  }
}

/** It is named, so that nobody looks for the mistake here. */
const ofProgram = (
  error: FailureText,
  { program, command }: Pick<ProcessSpec, "program" | "command">,
): FailureText => ({
  ...error,
  hint: error.hint ?? `that is an error of the program itself: ${command?.join(" ") ?? program}`,
});

/** What allowed it has expired, and it could not go on without. */
const isLapsed = ({ code, detail }: FailureText): boolean =>
  code === "EACCES" && (detail as { lapsed?: Json } | undefined)?.lapsed === true;

/** An end as releases before 0.2 wrote it: a program's own error had no code of its own. */
export function asRecordedThen(end: ProcessEnd, recorded: FailureText | undefined): ProcessEnd {
  if (recorded?.code !== "EINTERNAL" || end.error?.code !== "EPROGRAM") return end;
  return { ...end, error: { code: "EINTERNAL", message: end.error.message } };
}

const CRASHED_IN_0_1 = "its program crashed: ";

/**
 * Whether the error of an end is the kernel's word on a program that crashed or broke the protocol, and not the
 * program's own. A program's own EPROGRAM always has a hint (`ofProgram`), and its own EINVAL ends with another
 * code. Only release 0.1 wrote a crash with the code of the program's own errors.
 */
export function isEndedByKernel({ code, error }: Pick<EndRecord, "code" | "error">): boolean {
  if (error === undefined || error.hint !== undefined || code !== exitCodes.failed) return false;
  if (error.code === "EINTERNAL") return error.message.startsWith(CRASHED_IN_0_1);
  return error.code === "EPROGRAM" || error.code === "EINVAL";
}

/** It came to an answer that its model is not sure of. */
const isUnsure = (code: number): boolean =>
  code === exitCodes.lowConfidence || code === exitCodes.lowConfidenceRefused;

/** What its row says from now on, without asking for it; a value of their own for each who is told. */
function endingAsStored(pid: string, { state, code, output = null, error }: ProcessEnd): Ending {
  const [said, failure] = [JSON.stringify(output), JSON.stringify(error ?? null)];
  return {
    pid: pid as ProcessId,
    state,
    exitCode: code,
    output: JSON.parse(said) as Json,
    error: JSON.parse(failure) as FailureText | null,
  };
}

/** Told how it ended, where that was here; else the row says it, or nobody knows yet. */
type EndListener = (ending?: Ending) => void;

export class ProcessEndings {
  readonly #journal: Journal;
  readonly #platform: Platform;
  readonly #table: ProcessTable;
  readonly #waiters = new Map<ProcessKey, Set<EndListener>>();
  /** Told of every end once it is durable. Set by the kernel. */
  onEnd: (process: Process, end: ProcessEnd) => void = () => {};

  constructor(parts: { journal: Journal; platform: Platform; table: ProcessTable }) {
    this.#journal = parts.journal;
    this.#platform = parts.platform;
    this.#table = parts.table;
  }

  finish(process: Process, end: ProcessEnd): void {
    if (process.ended) return;
    process.ended = true;
    process.state = end.state;
    const core = leavesCoreDump(end.code) ? [this.#coreDump(process, end)] : [];
    void process.program?.stop();
    clearTimeout(process.wallTimer);
    const taken = process.signals.map((signal): Write => ({ op: "signal.take", key: signal.key }));
    const at = this.#platform.now();
    recordLostWork(process, at);
    const { spend, cost } = takeLostWork(process);
    const output = end.output === undefined ? undefined : encodeText(JSON.stringify(end.output));
    const blobs = (output?.blobs ?? []).map((blob): Write => ({
      op: "blob.put",
      tenant: process.tenant,
      process: process.key,
      ...blob,
    }));
    process.reset();
    this.#journal.append(
      process,
      endText(
        { seq: process.seq + 1, at, cause: end.cause ?? process.told },
        end,
        output?.text,
        cost,
      ),
      [
        {
          op: "process.patch",
          key: process.key,
          patch: {
            state: end.state,
            waitingOn: null,
            wakeAt: null,
            label: labelText(process.label),
            exitCode: end.code,
            endedAt: at,
            output: JSON.stringify(end.output ?? null),
            error: end.error === undefined ? null : JSON.stringify(end.error),
          },
        },
        ...(process.hasAsked ? [{ op: "request.drop", process: process.key } as const] : []),
        ...blobs,
        ...core,
        ...taken,
      ],
      spend,
    );
    this.#journal.whenDurable((failed) => {
      if (failed !== undefined) return;
      const isOurs = this.#table.get(process.key) === process; // else another node has it, and its row says how it is
      this.#table.remove(process);
      this.onEnd(process, end);
      this.tell(process.key, isOurs ? () => endingAsStored(process.pid, end) : undefined);
    });
  }

  /** SIGKILL and its like: gone, with what is in flight. */
  kill(process: Process, signal: SignalName, cause: Cause, why?: string): void {
    const refused = signal === "SIGPOLICY" || signal === "SIGTRUST";
    this.finish(process, {
      state: "killed",
      code: refused ? exitCodes.refused : exitCodes.killed,
      error: { code: refused ? "EPOLICY" : "EINTR", message: why ?? `ended by ${signal}` },
      cause,
    });
  }

  /** A mistake of ours: nothing that was not judged may go on. */
  gateFailed(process: Process, error: unknown): void {
    this.finish(process, {
      state: "failed",
      code: exitCodes.failed,
      error: { code: "EINTERNAL", message: `the gate failed: ${(error as Error).message}` },
      cause: "the gate",
    });
  }

  whenEnded(key: ProcessKey, callback: EndListener): () => void {
    const waiters = this.#waiters.get(key) ?? new Set();
    waiters.add(callback);
    this.#waiters.set(key, waiters);
    return () => {
      waiters.delete(callback);
      if (waiters.size === 0 && this.#waiters.get(key) === waiters) this.#waiters.delete(key);
    };
  }

  /** Calls those who wait for a process: it has ended, here or on another node. */
  tell(key: ProcessKey, ending?: () => Ending): void {
    const waiters = this.#waiters.get(key);
    this.#waiters.delete(key);
    if (waiters !== undefined) for (const callback of waiters) callback(ending?.());
  }

  /** Calls everybody who waits: no end will come. */
  giveUp(): void {
    for (const key of this.awaited) this.tell(key);
  }

  get awaited(): ProcessKey[] {
    return [...this.#waiters.keys()];
  }

  isAwaited(key: ProcessKey): boolean {
    return this.#waiters.has(key);
  }

  #coreDump(process: Process, end: ProcessEnd): Write {
    const body = {
      pid: process.pid,
      agent: process.row.agent,
      state: end.state,
      code: end.code,
      error: end.error ?? null,
      at: new Date(this.#platform.now()).toISOString(),
      seq: process.seq + 1,
      label: labelText(process.label),
      spent: {
        usd: usdOf(process.account.microUsd),
        tokens: process.account.tokens,
        toolCalls: process.account.toolCalls,
      },
      pending: [...process.pending.values()].map(({ n, name, text, waitsOn }) => ({
        n,
        call: name,
        args: text,
        waitsOn,
      })),
      mailbox: process.mailbox.depth,
      signals: process.signals.map((signal) => signal.signal),
      masked: [...process.masked],
      capabilities: process.row.spec.blocks.at(-1)!.capabilities,
    };
    return {
      op: "core.put",
      tenant: process.tenant,
      process: process.key,
      body: JSON.stringify(body),
    };
  }
}
