// Handler: the type of the functions that carry out allowed system calls. protocol/src/syscalls.ts has the rows,
// handlers/ the functions.

import type {
  HeldPattern,
  Json,
  Label,
  PersonQuestion,
  Sink,
  SyscallArgs,
  SyscallName,
  Touch,
  WaitKind,
} from "@aos/protocol";
import type { Amount } from "../budget/accounts.ts";
import type { PendingCall, Process } from "../process/process.ts";
import type { Write } from "../store/base-contract.ts";
import type { Action } from "./action.ts";
import type { Permit } from "./judge.ts";
import type { BeginCall } from "./waiting.ts";

export interface SyscallResult {
  readonly value: Json;
  /** What happens to the store in the transaction of the record. */
  readonly writes?: readonly Write[];
  /** What follows once the record is appended. */
  readonly after?: () => void;
  readonly spent?: Amount;
  /** The label of what was read. */
  readonly label?: Label;
  /** The label of the row that was written, as text. */
  readonly stored?: string;
  /** The record that made this come about, where it is one of another process. */
  readonly cause?: string;
  /** What is to be said of it in its record. */
  readonly verdict?: string;
  /** The skill that was read, and the tools that it leaves its reader. */
  readonly narrows?: { readonly skill: string; readonly tools: readonly string[] };
}

export interface CallContext {
  readonly process: Process;
  readonly call: PendingCall;
  readonly action: Action;
  readonly permit: Permit;
  /** Asks the gate about one thing more; throws its refusal. */
  authorize(touch: Touch): void;
  /** The same call, judged as going to where it did not say that it would. */
  toward(sinks: readonly Sink[]): CallContext;
  /** Whether it would be allowed; nothing is charged. */
  permits(touch: Touch): boolean;
  /** What the process may use of a kind without counting; the call stands on it from now on. */
  granted(kind: string): readonly HeldPattern[];
  /** Stands on other grants, where those that it was allowed by are over; refuses where there are none. */
  renew(): void;
  /** Asks a person in the middle of the call. */
  inquire(question: PersonQuestion): Promise<Json>;
  /** All that the call has touched so far. */
  readonly touched: readonly Touch[];
  /** Settled when what it has touched so far is marked; undefined where nothing is. */
  readonly marked: Promise<void> | undefined;
  /**
   * Waits for something that the store keeps, so that the process may leave memory meanwhile.
   * `begin` gets what to call with the answer and returns how to stop waiting. `mayLeave` is false for
   * what the store would not tell of, or not yet: then `begin` says by `leave` when it would.
   */
  waitFor(
    kind: WaitKind,
    until: number | undefined,
    begin: BeginCall,
    mayLeave?: boolean,
  ): Promise<SyscallResult>;
}

/** `Services` is what the family of the call uses of the kernel, and nothing besides. */
export type SyscallHandler<Name extends SyscallName, Services> = (
  services: Services,
  args: SyscallArgs<Name>,
  asked: CallContext,
) => SyscallResult | Promise<SyscallResult>;

/** `handle`, `mask` and `exit` are the runner's own: they are about the program, not the world. */
export type HandledCall = Exclude<SyscallName, "handle" | "mask" | "exit">;

/** The handlers by the name of the call, each with its services. Made once for a gate. */
export type SyscallHandlers = {
  readonly [Name in HandledCall]: (
    args: SyscallArgs<Name>,
    asked: CallContext,
  ) => SyscallResult | Promise<SyscallResult>;
};

/** The key of an external effect: the same for every try of the same call of the same process. */
export function keyOf({ process, call }: Pick<CallContext, "process" | "call">): string {
  const given = (call.args as { key?: unknown } | null)?.key;
  return typeof given === "string" ? given : `${process.pid}.${call.n}`;
}
