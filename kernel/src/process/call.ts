// A call as the kernel takes it from a program: its name sanitised, its arguments copied and encoded as record text.
// The same call has the same text, live and in a replay.

import { isSyscallName, SysError, type Json, type SyscallName } from "@aos/protocol";
import {
  encodeArgs,
  isInline,
  scrubbedCopy,
  toJsonText,
  type ChainMark,
  type EncodedText,
} from "../journal/codec.ts";
import { continueRequest } from "../journal/model-request.ts";
import type { PendingCall } from "./process.ts";

const NO_CHAINS: PendingCall["chains"] = [];
const NO_TOUCHES: PendingCall["touches"] = [];
const NOTHING_MORE: PendingCall["also"] = [];

/** A name that a record can have: that of a call, or one that says that there is none. */
export const syscallNameOf = (name: string): SyscallName =>
  isSyscallName(name) ? name : unknown(name);

interface Reading {
  readonly maxBytes: number;
  readonly scrub: (text: string) => string;
}

function withinLimit(text: string, maxBytes: number): string {
  if (text.length > maxBytes) throw new SysError("EINVAL", "the arguments are too large");
  return text;
}

/** What a program passed, as the record of its call has it, for who does not need the values themselves. */
export class RecordedArguments {
  /** What it passed, where that is what a record has unless there is a secret in it. */
  readonly said: string | undefined;
  readonly #name: string;
  readonly #given: string = "";
  readonly #reading: Reading;
  #text: string | undefined;

  constructor(name: string, args: Json, reading: Reading) {
    this.#name = name;
    this.#reading = reading;
    try {
      const text = toJsonText(args); // at once: the program may change its object
      this.#given = text;
      if (isInline(name, text) && text.length <= reading.maxBytes) this.said = text;
    } catch (error) {
      this.#text = refusedText(error);
    }
  }

  /** Without secrets. Most texts are not searched: a scrubbed record has none. */
  get text(): string {
    return (this.#text ??= recordedText(this.#name, this.#given, this.#reading));
  }
}

function recordedText(name: string, given: string, { maxBytes, scrub }: Reading): string {
  try {
    const text = withinLimit(scrub(given), maxBytes);
    if (isInline(name, text)) return text;
    return encodeArgs(name, text, JSON.parse(text) as Json).text;
  } catch (error) {
    return refusedText(error);
  }
}

const refusedText = (error: unknown): string =>
  JSON.stringify({ $refused: (error as Error).message });

/** A model request mostly goes on from the last one; what it has in common with it is not read again. */
function readArguments(
  name: string,
  args: Json,
  options: Reading & { readonly before?: ChainMark | undefined },
): { readonly copy: Json; readonly encoded: EncodedText } {
  const { before, scrub, maxBytes } = options;
  if (name === "infer" && before !== undefined) {
    const text = withinLimit(scrub(toJsonText(args)), maxBytes);
    const known = continueRequest(text, before);
    if (known !== undefined) return { copy: known.args, encoded: known.encoded };
    const copy = JSON.parse(text) as Json;
    return { copy, encoded: encodeArgs(name, text, copy, before) };
  }
  const { text, value } = scrubbedCopy(args, scrub);
  return { copy: value, encoded: encodeArgs(name, withinLimit(text, maxBytes), value, before) };
}

/** The `n`th call of a program that was last told of record `told`. */
export function readSyscall(
  { n, told }: { n: number; told: number },
  id: number | string,
  name: string,
  args: Json,
  options: Reading & { readonly before?: ChainMark | undefined },
): PendingCall {
  let encoded: EncodedText;
  let copy: Json;
  try {
    // What is checked is what is used, whatever the program does to its object.
    ({ copy, encoded } = readArguments(name, args, options));
  } catch (error) {
    copy = { $refused: (error as Error).message };
    encoded = { text: refusedText(error), blobs: [] };
  }
  return {
    n,
    id,
    name: syscallNameOf(name),
    args: copy,
    text: encoded.text,
    blobs: encoded.blobs,
    chain: encoded.chain,
    cause: told,
    waitsOn: null,
    hold: undefined,
    dormant: false,
    until: undefined,
    cancelled: false,
    onCancel: undefined,
    failureLabel: undefined,
    heldBy: undefined,
    inquiries: 0,
    stopInquiry: undefined,
    touches: NO_TOUCHES,
    also: NOTHING_MORE,
    chains: NO_CHAINS,
    expiresAt: undefined,
    onExpiryChange: undefined,
    interrupt: undefined,
  };
}

/** A name that no call has, as it may stand in a record: short, and of plain characters. */
const unknown = (name: string): SyscallName =>
  `?${name.slice(0, 100).replaceAll(/[^\w.-]/g, "_")}` as SyscallName;
