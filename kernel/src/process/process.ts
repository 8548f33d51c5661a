// Process: a loaded agent. Everything here can be rebuilt from its rows and its journal, which are authoritative.
//
// PROCESS-1  A program receives everything through its outbox, in journal order, one item a turn.
// PROCESS-2  `issued` counts its calls; `told` is the seq of the last record that it received.

import type {
  CallPlace,
  Cause,
  Delivery,
  Json,
  Label,
  Manifest,
  ProcessId,
  ProcessState,
  RunningProgram,
  SignalName,
  ToolScope,
  WaitKind,
} from "@aos/protocol";
import { DEFAULT_LANE, type Lane } from "@aos/protocol";
import type { Account } from "../budget/accounts.ts";
import { Mailbox } from "../bus/mailbox.ts";
import { type CapabilityBlock, Holdings } from "../capability/index.ts";
import { hexOf } from "../journal/chain.ts";
import type { ChainMark } from "../journal/codec.ts";
import type { ChainEnd } from "../journal/group-commit.ts";
import type {
  ChainRow,
  HoldingRow,
  ProcessKey,
  ProcessRow,
  SignalRow,
  TenantKey,
} from "../store/rows.ts";
import type { SpendRow } from "../store/spend-row.ts";
import { cancel, type PendingCall } from "./pending-call.ts";
import type { Replay } from "./replay.ts";

export { cancel, isWithDriver, type PendingCall } from "./pending-call.ts";

interface Outgoing {
  readonly what: Delivery;
  readonly seq: number;
  ready: boolean;
  /** The answer to what a program said of signals: not from the journal. */
  readonly declared?: true;
}

/** It has never run: it waits for its turn, or would if it were not paused. */
const isQueued = ({ state, waitingOn }: ProcessRow): boolean =>
  state === "pending" || (state === "paused" && waitingOn === "slot");

const NO_LAYERS: readonly string[] = [];
const OWN_PLACE: CallPlace = { workspace: { isCow: false } };

export class Process implements ChainEnd {
  readonly key: ProcessKey;
  readonly tenant: TenantKey;
  readonly tenantName: string;
  readonly pid: ProcessId;
  readonly row: ProcessRow;
  readonly manifest: Manifest;
  /** What it started with. */
  readonly block: CapabilityBlock;
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
  readonly pending = new Map<number, PendingCall>();
  /** Calls that a paused process made, or made before it went live. */
  held: PendingCall[] = [];
  readonly outbox: Outgoing[] = [];
  /** It waits for its turn to be told something. Set by the ready queue alone. */
  isReady = false;
  readonly mailbox = new Mailbox();
  readonly signals: SignalRow[] = [];
  /** The keys of those that were delivered: the store may still tell of them. */
  readonly delivered = new Set<number>();
  readonly masked = new Set<SignalName>();
  readonly handled = new Map<SignalName, "handler" | "ignore">();
  /** Digests of blobs that the store has for it. */
  readonly blobsPut = new Set<string>();
  /** The messages of the last model request whose blobs were written. */
  lastChain: ChainMark | undefined;
  /** The parts of the last state that it put. */
  stateParts: ReadonlySet<string> = new Set();
  /** The record of its last checkpoint, as far as this life knows. */
  checkpointSeq: number;
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
  /** It may have requests that are not answered. */
  hasAsked = false;
  /** False while it is a shell: its history has not been read yet. */
  isWhole = true;
  /** The row says that it waits; the next record must say that it runs. */
  asleep = false;
  /** What the row says of that wait, as text. */
  restsAs = "";
  dormantSince = 0;
  /** How often it was about to leave memory. */
  naps = 0;
  /** False while it waits for its first start, paused or not: its program has never run. */
  hasBegun: boolean;
  /** What was stopped had cost, and stands in no record yet. */
  readonly lost: SpendRow[] = [];
  /** Its row says that it is parked: it is, or it is tried again. */
  isParked = false;
  /** Set once its end is recorded. */
  ended = false;
  wallTimer: NodeJS.Timeout | undefined;
  /** It was sent the signal that its time is up. */
  wallTold = false;
  /** The last part of its time, in percent, that it was told of. */
  wallPart = 0;
  #scope: ToolScope | undefined;

  constructor(parts: {
    row: ProcessRow;
    chain: ChainRow;
    tenantName: string;
    manifest: Manifest;
    block: CapabilityBlock;
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
    this.checkpointSeq = parts.row.base;
    this.state = parts.row.state;
    this.label = parts.row.spec.label;
    this.recordedLabel = this.label;
    this.hasBegun = !isQueued(parts.row);
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
    return (this.#scope ??= this.#scopeOf(this.row.spec));
  }

  #scopeOf({ folder, workspace }: ProcessRow["spec"]): ToolScope {
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
    if (this.isPaused && !this.hasBegun) return "slot";
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

  /** True when it is paused and has no call in progress: all it was told is in its journal. */
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
    earliest = Math.min(earliest, this.row.spec.expiresAt ?? Infinity);
    return earliest === Infinity ? null : earliest;
  }

  get wallEndsAt(): number | undefined {
    const { wallMs } = this.account;
    const { begunAt, startedAt } = this.row;
    return wallMs === undefined ? undefined : (begunAt ?? startedAt) + wallMs;
  }

  /** Forgets what the program was doing, but for what is to be carried to its end; a new start begins from here. */
  reset(carriedOn: readonly PendingCall[] = []): void {
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
