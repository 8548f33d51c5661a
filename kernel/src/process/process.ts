// Process: a running agent as the kernel holds it while it is loaded. Everything here can be built
// again from its rows and its journal; nothing here is the truth.
//
// X1  What a program is told goes through the outbox, in the order of the journal, one thing a turn.
// X2  `issued` counts its calls; `told` is the seq of the last record that it was told of.

import type {
  CallPlace,
  Cause,
  Delivery,
  IntentRecord,
  Json,
  Label,
  Manifest,
  ProcessId,
  ProcessState,
  RunningProgram,
  SignalName,
  SyscallName,
  SysError,
  ToolScope,
  WaitKind,
} from "@aos/protocol";
import { DEFAULT_LANE, type Lane } from "@aos/protocol";
import { NOTHING, type Account, type Amount } from "../budget/accounts.ts";
import { Mailbox } from "../bus/mailbox.ts";
import { type Block, Holdings } from "../capability/index.ts";
import type { Blob } from "../journal/codec.ts";
import { hexOf } from "../journal/chain.ts";
import type { ChainEnd } from "../journal/group-commit.ts";
import type {
  ChainRow,
  HoldingRow,
  ProcessKey,
  ProcessRow,
  SignalRow,
  TenantKey,
} from "../store/rows.ts";
import type { Replay } from "./replay.ts";

/** A system call under way. */
export interface Call {
  readonly n: number;
  /** How the program knows it. */
  readonly id: number | string;
  readonly name: SyscallName;
  readonly args: Json;
  /** The arguments as the journal has them, and the blobs that they refer to. */
  readonly text: string;
  readonly blobs: readonly Blob[];
  /** The seq of the record that the program had last been told of when it made the call. */
  readonly cause: number;
  /** Set when the journal says that it was begun and not how it ended. */
  intent?: IntentRecord;
  /** What it waits on; null while it is not waiting. */
  waitsOn: WaitKind | null;
  /** The most that it can cost, once that is reserved. */
  worst: Amount | undefined;
  /** The model that answered. */
  model?: string;
  /** True when all that it waits for is kept in the store, so that the process need not be in memory. */
  dormant: boolean;
  /** When a dormant wait ends by itself. */
  until: number | undefined;
  /** Set when nobody wants the result any more. */
  cancelled: boolean;
  /** Stops what is under way for it. */
  onCancel: (() => void) | undefined;
  /** What its failure tells, once it runs: the words of an error may be somebody else's. */
  failureLabel: Label | undefined;
  /** What it turned out to touch while it ran. */
  also: readonly (readonly [string, string, string])[];
  /** How often a person was asked while it ran. */
  inquiries: number;
  /** Ends such a question that is open. */
  stopInquiry: ((reason: SysError) => void) | undefined;
  /** What held the tool that ran for it. */
  heldBy: string | undefined;
  /** The power that it was allowed by; if any of it is revoked, it is stopped. */
  chains: readonly Block[];
  /** Stops a tool or model with a reason that its program is told. Resolves when it has stopped. */
  interrupt: ((reason: SysError) => Promise<void>) | undefined;
}

export const isAtWork = ({ waitsOn }: Pick<Call, "waitsOn">): boolean =>
  waitsOn === "tool" || waitsOn === "model";

export function cancel(call: Call): void {
  if (call.cancelled) return;
  call.cancelled = true;
  call.onCancel?.();
}

interface Outgoing {
  readonly what: Delivery;
  readonly seq: number;
  ready: boolean;
  /** The answer to what a program said of signals: not from the journal. */
  readonly declared?: true;
}

const NO_LAYERS: readonly string[] = [];
const OWN_PLACE: CallPlace = { workspace: { isCow: false } };

export class Process implements ChainEnd {
  readonly key: ProcessKey;
  readonly tenant: TenantKey;
  readonly tenantName: string;
  readonly pid: ProcessId;
  readonly row: ProcessRow;
  readonly manifest: Manifest;
  /** What it was born with. */
  readonly block: Block;
  /** All that it holds. The chain of its birth has no handle that a program could name. */
  readonly holdings: Holdings;
  /** Handles that it held and holds no more: to name one is a mistake, and no forgery. */
  readonly pastHandles = new Set<string>();
  /** What it was granted since, by handle. */
  readonly grants = new Map<string, HoldingRow>();
  readonly account: Account;
  readonly epoch: number;
  seq: number;
  hash: string;

  state: ProcessState;
  label: Label;
  /** The label that its journal has. */
  recordedLabel: Label;
  /** When it was refused something, in milliseconds since 1970: too often is itself a violation. */
  denials: number[] = [];
  input: Json = null;
  program: RunningProgram | null = null;
  /** While the journal has answers that the program has not asked for again. */
  replay: Replay | null = null;
  issued = 0;
  told = 0;
  readonly pending = new Map<number, Call>();
  /** Calls that a paused process made, or made before it went live. */
  held: Call[] = [];
  readonly outbox: Outgoing[] = [];
  readonly mailbox = new Mailbox();
  readonly signals: SignalRow[] = [];
  /** The keys of those that were delivered: the store may still tell of them. */
  readonly delivered = new Set<number>();
  readonly masked = new Set<SignalName>();
  readonly handled = new Map<SignalName, "handler" | "ignore">();
  /** Digests of blobs that the store has for it. */
  readonly blobsPut = new Set<string>();
  readonly streams = new Map<
    number,
    { readonly path: string; readonly mode: "read" | "append"; offset: number }
  >();
  nextFd = 3;
  /** The checkpoint that its history was cut at, when it is started from one. */
  cutAt: number | null = null;
  /** When it was started again, in milliseconds since 1970. */
  restarts: number[] = [];
  /** SIGINT came: it ends at the end of its current step. */
  finishing: Cause | null = null;
  /** The row says that it waits; the next record must say that it runs. */
  asleep = false;
  dormantSince = 0;
  /** How often it was about to leave memory. */
  naps = 0;
  /** Set once its end is recorded. */
  ended = false;
  wallTimer: NodeJS.Timeout | undefined;
  /** It was sent the signal that its time is up. */
  wallTold = false;

  constructor(parts: {
    row: ProcessRow;
    chain: ChainRow;
    tenantName: string;
    manifest: Manifest;
    block: Block;
    account: Account;
  }) {
    this.row = parts.row;
    this.key = parts.row.key;
    this.tenant = parts.row.tenant;
    this.tenantName = parts.tenantName;
    this.pid = parts.row.pid as ProcessId;
    this.manifest = parts.manifest;
    this.block = parts.block;
    this.holdings = new Holdings({ handle: "", block: parts.block });
    this.account = parts.account;
    this.epoch = parts.chain.epoch;
    this.seq = parts.chain.seq;
    this.hash = hexOf(parts.chain.hash);
    this.state = parts.row.state;
    this.label = parts.row.spec.label;
    this.recordedLabel = this.label;
  }

  /** The policy layers that bind it beside those that bind all. */
  get layers(): readonly string[] {
    return this.row.spec.layers ?? NO_LAYERS;
  }

  /** The pid at the top of its tree, which shares a workspace. */
  get tree(): string {
    return this.row.spec.workspace?.tree ?? this.pid;
  }

  /** What its calls depend on beside their arguments. */
  get place(): CallPlace {
    const { folder, isCow = false } = this.row.spec.workspace ?? {};
    return folder === undefined ? OWN_PLACE : { workspace: { folder, isCow } };
  }

  /** Which tools there are for it. */
  get scope(): ToolScope {
    const { folder, workspace } = this.row.spec;
    const folders = [folder, workspace?.folder].filter((one) => one !== undefined);
    return { tenant: this.tenantName, folders };
  }

  get lane(): Lane {
    return this.row.lane ?? DEFAULT_LANE;
  }

  /** By when it should be done, in milliseconds since 1970. */
  get deadlineAt(): number | undefined {
    return this.row.spec.deadlineAt;
  }

  get isPaused(): boolean {
    return this.state === "paused";
  }

  /** What it waits on, when all that it has under way is waiting. */
  get waitingOn(): WaitKind | null {
    let kind: WaitKind | null = null;
    for (const call of this.pending.values()) {
      if (call.waitsOn === null) return null;
      kind ??= call.waitsOn;
    }
    return kind;
  }

  /** What it waits on, when that is one kind of thing. */
  get onlyWaitsOn(): WaitKind | null {
    const kinds = new Set([...this.pending.values()].map((call) => call.waitsOn));
    return kinds.size === 1 ? [...kinds][0]! : null;
  }

  get visibleState(): ProcessState {
    if (this.state !== "running") return this.state;
    return this.waitingOn === null ? "running" : "waiting";
  }

  /** True when it has nothing to do until something arrives that the store will tell of. */
  get isDormant(): boolean {
    if (this.ended || this.isPaused || this.replay !== null || this.program === null) return false;
    if (this.outbox.length > 0 || this.held.length > 0 || this.pending.size === 0) return false;
    for (const call of this.pending.values()) if (!call.dormant) return false;
    return true;
  }

  /** What the tools and models that work for it may have cost when they are stopped now. */
  get costAtWork(): Amount {
    let { usd, tokens, toolCalls } = NOTHING;
    for (const call of this.pending.values()) {
      if (!isAtWork(call) || call.worst === undefined) continue;
      usd += call.worst.usd;
      tokens += call.worst.tokens;
      toolCalls += call.worst.toolCalls;
    }
    return { usd, tokens, toolCalls };
  }

  /** True when it is paused and nothing of it is under way: what it was told is in its journal. */
  get isStill(): boolean {
    if (!this.isPaused || this.ended || this.replay !== null || this.pending.size === 0)
      return false;
    for (const call of this.pending.values())
      if (!call.dormant && !this.held.includes(call)) return false;
    return true;
  }

  /** The earliest time at which something that it waits for happens by itself. */
  get wakeAt(): number | null {
    let earliest = Infinity;
    for (const call of this.pending.values())
      if (call.until !== undefined) earliest = Math.min(earliest, call.until);
    if (this.wallEndsAt !== undefined && !this.wallTold)
      earliest = Math.min(earliest, this.wallEndsAt);
    return earliest === Infinity ? null : earliest;
  }

  get wallEndsAt(): number | undefined {
    const { wallMs } = this.account.limit;
    return wallMs === undefined ? undefined : this.row.startedAt + wallMs;
  }

  /** Forgets what the program was doing, but for what is to be carried to its end; a new start begins from here. */
  reset(carriedOn: readonly Call[] = []): void {
    for (const call of [...this.pending.values(), ...this.held])
      if (!carriedOn.includes(call)) cancel(call);
    this.pending.clear();
    for (const call of carriedOn) this.pending.set(call.n, call);
    this.held = [];
    this.outbox.length = 0;
    this.masked.clear();
    this.handled.clear();
    this.streams.clear();
    this.nextFd = 3;
    this.program = null;
  }
}
