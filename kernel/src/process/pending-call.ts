// A system call in progress: what it waits for, what it may cost, and how it is stopped.

import type {
  IntentRecord,
  Json,
  Label,
  SyscallName,
  SysError,
  Touch,
  WaitKind,
} from "@aos/protocol";
import type { Amount, Reservation } from "../budget/accounts.ts";
import type { CapabilityBlock } from "../capability/index.ts";
import type { Blob, ChainMark } from "../journal/codec.ts";

/** A system call under way. */
export interface PendingCall {
  readonly n: number;
  /** How the program knows it. */
  readonly id: number | string;
  readonly name: SyscallName;
  readonly args: Json;
  /** The arguments as the journal has them, and the blobs that they refer to. */
  readonly text: string;
  readonly blobs: readonly Blob[];
  /** Of a model request: what the next one may go on from. */
  readonly chain: ChainMark | undefined;
  /** The seq of the record that the program had last been told of when it made the call. */
  readonly cause: number;
  /** Set when the journal says that it was begun and not how it ended. */
  intent?: IntentRecord;
  /** What it waits on; null while it is not waiting. */
  waitsOn: WaitKind | null;
  /** What is reserved for it, once that is: the most that it can cost. */
  hold: Reservation | undefined;
  /** What tries that failed have cost. */
  tried?: Amount;
  /** It was stopped while in progress: its outcome is unknown. */
  isStopped?: true;
  /** The model that answered. */
  model?: string;
  /** True when all that it waits for is kept in the store, so that the process need not be in memory. */
  dormant: boolean;
  /** A reply to it is under way: a second one is not wanted. */
  isReplied?: true;
  /** When a dormant wait ends by itself. */
  until: number | undefined;
  /** Set when the result is no longer wanted. */
  cancelled: boolean;
  /** Stops what is under way for it. */
  onCancel: (() => void) | undefined;
  /** Label of its failure once it runs: an error message may contain untrusted words. */
  failureLabel: Label | undefined;
  /** What it touches, as it was allowed to; what it turned out to touch besides is in `also`. */
  touches: readonly Touch[];
  /** What it turned out to touch while it ran. */
  also: readonly (readonly [string, string, string])[];
  /** How often a person was asked while it ran. */
  inquiries: number;
  /** Ends such a question that is open. */
  stopInquiry: ((reason: SysError) => void) | undefined;
  /** What held the tool that ran for it. */
  heldBy: string | undefined;
  /** The power that it was allowed by; if any of it is revoked, it is stopped. */
  chains: readonly CapabilityBlock[];
  /** When the first of it expires; it is stopped then. */
  expiresAt: number | undefined;
  /** Told when that became earlier. */
  onExpiryChange: (() => void) | undefined;
  /** Stops a tool or model with a reason that its program is told. Resolves when it has stopped. */
  interrupt: ((reason: SysError) => Promise<void>) | undefined;
}

export const isWithDriver = ({ waitsOn }: Pick<PendingCall, "waitsOn">): boolean =>
  waitsOn === "tool" || waitsOn === "model";

export function cancel(call: PendingCall): void {
  if (call.cancelled) return;
  call.cancelled = true;
  call.onCancel?.();
}
