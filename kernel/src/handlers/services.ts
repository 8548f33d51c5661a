// Services: the parts of the kernel that each family of calls uses. A handler has only the services of its family, so
// its type shows what a call can do.

import type { Json, Label, SecretPlace, SyscallArgs } from "@aos/protocol";
import type { Questions } from "../approval/questions.ts";
import type { LiveFeed } from "../bus/live-feed.ts";
import type { Devices } from "../device/devices.ts";
import type { Journal } from "../journal/journal.ts";
import type { Limits } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { DeadLetters } from "../process/dead-letters.ts";
import type { RowKeys } from "../process/row-keys.ts";
import type { Process } from "../process/process.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { ProcessEndings } from "../scheduler/endings.ts";
import type { ScrubStream } from "../secret/index.ts";
import type { Slots } from "../slot/slots.ts";
import type { Write, Store } from "../store/contract.ts";
import type { HoldingRow, MessageRow, PipePlace, ProcessKey, ProcessRow } from "../store/rows.ts";
import type { Flows } from "../syscall/file-flows.ts";
import type { SyscallResult, CallContext } from "../syscall/syscall-handler.ts";
import type { Contexts } from "../vfs/contexts.ts";
import type { Files } from "../vfs/files.ts";
import type { SkillMount } from "../vfs/skills.ts";

/** now, random, sleep, checkpoint. */
export interface TimeServices {
  readonly platform: Platform;
}

/** grant, revoke: power handed on, and taken back. */
export interface GrantServices {
  readonly grant: (
    process: Process,
    args: SyscallArgs<"grant">,
    row: ProcessRow,
  ) => Promise<SyscallResult>;
  readonly revoke: (process: Process, handle: string) => Promise<SyscallResult>;
}

/** spawn, wait, signal, self, check. */
export interface ProcessServices {
  readonly journal: Journal<Store>;
  readonly endings: ProcessEndings;
  readonly spawnChild: (
    parent: Process,
    args: SyscallArgs<"spawn">,
    standing: readonly HoldingRow[],
    pipe?: PipePlace,
  ) => Promise<SyscallResult>;
  readonly sendSignal: (
    row: ProcessRow,
    signal: SyscallArgs<"signal">["signal"],
    cause: string,
  ) => Promise<{ writes: Write[]; after: () => void }>;
  readonly platform: Platform;
  /** What the gate would say. */
  readonly wouldBe: (process: Process, call: string, args: Json) => Promise<Json>;
}

/** ask. */
export interface PersonServices {
  readonly questions: Questions;
  readonly platform: Platform;
  readonly scrub: (text: string) => string;
  /** Makes sure that it holds, here and now, all that it was given. */
  readonly hold: (process: Process) => Promise<void>;
}

/** send, receive, request, publish, subscribe. */
export interface MessageServices {
  readonly journal: Journal<Store>;
  readonly platform: Platform;
  readonly limits: Limits;
  readonly table: ProcessTable;
  readonly keys: RowKeys;
  readonly endings: ProcessEndings;
  readonly deadLetters: DeadLetters;
  /** Takes a place in a process's mailbox for a message to come; EAGAIN when it is full. */
  readonly takePlace: (key: ProcessKey) => Promise<() => void>;
  /** EINVAL where the mailbox of a process has a schema that a body does not fit. */
  readonly mustFit: (target: ProcessRow, body: Json) => void | Promise<void>;
  /** Whether the gate would let a process of any state subscribe to a topic. */
  readonly maySubscribe: (key: ProcessKey, topic: string) => Promise<boolean>;
  /** What came by a durable subscription is with the process that has it now, once all of it is durable. */
  readonly followDurable: (durable: number, sentTo: number) => void;
  /** Tells a process of a message that the journal is about to have. */
  readonly post: (key: ProcessKey, message: MessageRow) => void;
  /** Records that a call has begun, with what that does to the store. */
  readonly intend: (asked: CallContext, writes: readonly Write[]) => void;
}

/** What a driver at work may ask for: of files, secrets and those who watch. */
export interface DriverServices {
  readonly platform: Platform;
  readonly devices: Devices;
  readonly flows: Flows;
  readonly live: LiveFeed;
  /** Takes secrets out of text that comes in pieces. */
  readonly scrubStream: () => ScrubStream;
  /** The value of a secret for one place; throws where it is not bound to that. */
  readonly reveal: (process: Process, name: string, place: SecretPlace) => string;
  /** The same for a provider's key: the tenant's own, or else the operator's. */
  readonly revealKey: (process: Process, name: string, place: SecretPlace) => string;
}

/** exec. */
export interface ToolServices extends DriverServices {
  readonly scrub: (text: string) => string;
  /** The label of what came of these touches: the operator's word, or the tool's own, and what is marked. */
  readonly labelOf: (asked: CallContext, own: Label) => Label | Promise<Label>;
  /** What of that the operator says, as far as it is known without looking. */
  readonly saidOf: (asked: CallContext) => Label | undefined;
}

/** infer. */
export interface ModelServices extends DriverServices {
  readonly slots: Slots;
  /** Tells a process that its context is nearly full. */
  readonly tellFull: (process: Process) => void;
}

/** read, write, list, remove, search, open, close: a file of the workspace is a tool's work. */
export interface FileServices extends ToolServices {
  readonly journal: Journal<Store>;
  readonly files: Files;
  readonly skills: SkillMount;
  readonly contexts: Contexts;
  /** The layers of policy that a process is judged by, as JSON. */
  readonly rulesFor: (process: Process) => readonly Json[];
}

export interface HandlerServices {
  readonly time: TimeServices;
  readonly grants: GrantServices;
  readonly processes: ProcessServices;
  readonly persons: PersonServices;
  readonly messages: MessageServices;
  readonly tools: ToolServices;
  readonly models: ModelServices;
  readonly files: FileServices;
}
