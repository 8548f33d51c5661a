// SyscallHandler: the shape of how a system call is answered. The rows that say what may be asked are in
// protocol/src/syscalls.ts; the files in answers/ say how.

import type {
  FileLabels,
  HeldPattern,
  Json,
  Label,
  PersonQuestion,
  SecretPlace,
  SyscallArgs,
  SyscallName,
  Touch,
  WaitKind,
} from "@aos/protocol";
import type { Amount, ThresholdCrossing } from "../budget/accounts.ts";
import type { Questions } from "../approval/questions.ts";
import type { Devices } from "../device/devices.ts";
import type { Journal } from "../journal/journal.ts";
import type { LiveFeed } from "../journal/live-feed.ts";
import type { Platform } from "../platform/clock.ts";
import type { RateUse } from "../policy/index.ts";
import type { DeadLetters } from "../process/dead-letters.ts";
import type { RowKeys } from "../process/row-keys.ts";
import type { PendingCall, Process } from "../process/process.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { ProcessEndings } from "../scheduler/endings.ts";
import type { ScrubStream } from "../secret/index.ts";
import type { Slots } from "../slot/slots.ts";
import type { Write } from "../store/contract.ts";
import type { HoldingRow, MessageRow, ProcessKey, ProcessRow } from "../store/rows.ts";
import type { Contexts } from "../vfs/contexts.ts";
import type { Files } from "../vfs/files.ts";
import type { SkillMount } from "../vfs/skills.ts";
import type { Limits } from "../options.ts";
import type { Action } from "./action.ts";
import type { Permit } from "./judge.ts";
import type { Inspect } from "./run-identity.ts";
import type { Begin } from "./waiting.ts";

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

/** A folder that a run may write to, with the marks that were put on it. */
export interface WriteMark {
  readonly folder: string;
  readonly rest: Label;
  readonly put: Label;
}

export interface Flows {
  below(process: Process, folder: string): Promise<FileLabels | undefined>;
  mayWrite(process: Process, folder: string, seen: Label): Promise<WriteMark>;
  wrote(process: Process, mark: WriteMark, paths: readonly string[], seen: Label): Promise<void>;
}

/** The parts of the kernel that answers use. */
export interface SyscallServices {
  readonly journal: Journal;
  readonly platform: Platform;
  readonly table: ProcessTable;
  readonly devices: Devices;
  readonly slots: Slots;
  readonly live: LiveFeed;
  /** Takes secrets out of text that comes in pieces. */
  readonly scrubStream: () => ScrubStream;
  readonly files: Files;
  readonly skills: SkillMount;
  readonly contexts: Contexts;
  readonly keys: RowKeys;
  readonly deadLetters: DeadLetters;
  readonly questions: Questions;
  readonly endings: ProcessEndings;
  readonly limits: Limits;
  /** Finds a process of the same tenant by its pid. */
  readonly find: (process: Process, pid: string) => Promise<ProcessRow>;
  readonly spawnChild: (
    parent: Process,
    args: SyscallArgs<"spawn">,
    standing: readonly HoldingRow[],
  ) => Promise<SyscallResult>;
  readonly sendSignal: (
    row: ProcessRow,
    signal: SyscallArgs<"signal">["signal"],
    cause: string,
  ) => Promise<{ writes: Write[]; after: () => void }>;
  /** Takes a place in a process's mailbox for a message to come; EAGAIN when it is full. */
  readonly takePlace: (key: ProcessKey) => Promise<() => void>;
  /** Tells a process of a message that the journal is about to have. */
  readonly post: (key: ProcessKey, message: MessageRow) => void;
  /** Records that a call has begun, with what that does to the store. */
  readonly intend: (context: CallContext, writes: readonly Write[]) => void;
  /** Makes sure that no other node has taken the process; if one has, its calls here are cancelled. */
  readonly confirmOurs: (process: Process) => Promise<void>;
  /** An external call of this process may have been begun before the store lost its record. */
  readonly wasBegun: (process: Process) => boolean;
  /** The value of a secret for one place; throws where it is not bound to that. */
  readonly reveal: (process: Process, name: string, place: SecretPlace) => string;
  /** The same for a provider's key: the tenant's own, or else the operator's. */
  readonly revealKey: (process: Process, name: string, place: SecretPlace) => string;
  /** Tells a process of the tree that a part of one of its limits is spent. */
  readonly tellBudget: (process: Process, crossing: ThresholdCrossing) => void;
  /** Tells a process that its context is nearly full. */
  readonly tellFull: (process: Process) => void;
  /** The label of what came of these touches: the operator's word, or the tool's own, and what is marked. */
  readonly labelOf: (context: CallContext, own: Label) => Label | Promise<Label>;
  /** What of that the operator says, as far as it is known without looking. */
  readonly saidOf: (context: CallContext) => Label | undefined;
  /** Marks what is about to be written with what its writer has read. */
  readonly mark: (process: Process, action: Action, touches: readonly Touch[]) => Promise<void>;
  /** What files say to who runs a program on them, and what it leaves on what it may write. */
  readonly flows: Flows;
  /** Power handed on, and taken back. */
  readonly grant: (
    process: Process,
    args: SyscallArgs<"grant">,
    row: ProcessRow,
  ) => Promise<SyscallResult>;
  readonly revoke: (process: Process, handle: string) => Promise<SyscallResult>;
  /** Makes sure that it holds, here and now, all that it was given. */
  readonly hold: (process: Process) => Promise<void>;
  /** What keeps the uses of a rule's rate. */
  readonly rateWrites: (uses: readonly RateUse[]) => Write[];
  /** Takes secrets out of text that is about to be recorded. */
  readonly scrub: (text: string) => string;
  /** Looks at what a call would run, for the question about it. */
  readonly inspect: Inspect;
  /** What the gate would say. */
  readonly wouldBe: (process: Process, call: string, args: Json) => Promise<Json>;
}

export interface CallContext {
  readonly process: Process;
  readonly call: PendingCall;
  readonly action: Action;
  readonly permit: Permit;
  /** Asks the gate about one thing more; throws its refusal. */
  authorize(touch: Touch): void;
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
    begin: Begin,
    mayLeave?: boolean,
  ): Promise<SyscallResult>;
}

export type SyscallHandler<Name extends SyscallName> = (
  services: SyscallServices,
  args: SyscallArgs<Name>,
  context: CallContext,
) => SyscallResult | Promise<SyscallResult>;
