// A call as the kernel takes it from a program: its name made harmless, its arguments copied and turned
// into the text that the journal has. The same words make the same call, live and in a replay.

import { isSyscallName, SysError, type Json, type SyscallName } from "@aos/protocol";
import { encodeArgs, textOf, type ChainMark, type Encoded } from "../journal/codec.ts";
import type { Call } from "./process.ts";

const NO_CHAINS: Call["chains"] = [];
const NO_TOUCHES: Call["touches"] = [];
const NOTHING_MORE: Call["also"] = [];

/** The `n`th call of a program that was last told of record `told`. */
export function readCall(
  { n, told }: { n: number; told: number },
  id: number | string,
  name: string,
  args: Json,
  {
    maxBytes,
    scrub,
    before,
  }: { maxBytes: number; scrub: (text: string) => string; before?: ChainMark | undefined },
): Call {
  let encoded: Encoded;
  let copy: Json;
  try {
    const text = scrub(textOf(args));
    if (text.length > maxBytes) throw new SysError("EINVAL", "the arguments are too large");
    copy = JSON.parse(text) as Json; // what is checked is what is used, whatever the program does to its object
    encoded = encodeArgs(name, text, copy, before);
  } catch (error) {
    copy = { $refused: (error as Error).message };
    encoded = { text: JSON.stringify(copy), blobs: [] };
  }
  return {
    n,
    id,
    name: isSyscallName(name) ? name : unknown(name),
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
