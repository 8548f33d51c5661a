// Wire: the syscall protocol of foreign programs: JSON-RPC 2.0, one object a line, on standard input and output.
// docs/syscall-protocol.md is its manual.
//
//   kernel → program   start (once, first), answers to calls, signal (notification)
//   program → kernel   calls, `exit` as the last of them
//
// PROTOCOL-WIRE-1  A program handles one line completely before it reads the next. This makes the order of its calls
//                  the same in a replay.
// PROTOCOL-WIRE-2  A program sends nothing after `exit`.

import type { FailureText } from "./failures.ts";
import type { Json } from "./json.ts";
import type { SignalName } from "./signals.ts";

export const WIRE_PROTOCOL = 1;

/** The longest line a program may send, in bytes, unless configured otherwise. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

export interface WireStart {
  readonly jsonrpc: "2.0";
  readonly method: "start";
  readonly params: { readonly protocol: number; readonly input: Json; readonly state?: Json };
}
export interface WireSignal {
  readonly jsonrpc: "2.0";
  readonly method: "signal";
  readonly params: { readonly signal: SignalName; readonly part?: number };
}
export interface WireCall {
  readonly jsonrpc: "2.0";
  readonly id: number | string;
  readonly method: string;
  readonly params?: Json;
}
export interface WireAnswer {
  readonly jsonrpc: "2.0";
  readonly id: number | string;
  readonly result?: Json;
  /** `code` is JSON-RPC's; `data` is our own failure. */
  readonly error?: { readonly code: number; readonly message: string; readonly data: FailureText };
}

export type FromKernel = WireStart | WireSignal | WireAnswer;

/** JSON-RPC's number for a failure of the call itself; the word is in `data.code`. */
export const WIRE_FAILED = -32000;
