// Tool names: ours have dots and any length; vendors accept [a-zA-Z0-9_-], at most 64.
//
//   names.wire("file.read")   "file_read"
//   names.own("file_read")    "file.read"
//
// TOOL-NAMES-1  Within one request no two tools share a wire name, and each maps back to its own.
// TOOL-NAMES-2  A name that needs no change is not changed, whichever others there are.
// TOOL-NAMES-3  A call id that a vendor would refuse is always mapped to the same valid id.

import { createHash } from "node:crypto";
import type { SyscallArgs } from "@aos/protocol";

const FITS = /^[a-zA-Z0-9_-]{1,64}$/;
const MOST_CHARS = 64;
const MARK_CHARS = 8;

export interface ToolNames {
  wire(own: string): string;
  own(wire: string): string;
}

export function toolNames({ tools = [], messages }: SyscallArgs<"infer">): ToolNames {
  const all = new Set(tools.map(({ name }) => name));
  for (const { toolCalls } of messages) for (const { tool } of toolCalls ?? []) all.add(tool);

  const wires = new Map<string, string>();
  const owns = new Map<string, string>();
  const note = (own: string, wire: string): void => {
    wires.set(own, wire);
    owns.set(wire, own);
  };
  for (const name of all) if (FITS.test(name)) note(name, name); // TOOL-NAMES-2
  for (const name of all) {
    if (FITS.test(name)) continue;
    let wire = plainOf(name);
    // TOOL-NAMES-1. Who offers tools may have chosen the name that another's would be changed to.
    for (let n = 0; !FITS.test(wire) || owns.has(wire); n += 1) wire = marked(name, n);
    note(name, wire);
  }
  return {
    wire: (own) => wires.get(own) ?? marked(own, 0),
    own: (wire) => owns.get(wire) ?? wire,
  };
}

const plainOf = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, "_");

const marked = (name: string, n: number): string =>
  `${plainOf(name).slice(0, MOST_CHARS - MARK_CHARS - 1)}_${hashOf(`${n} ${name}`).slice(0, MARK_CHARS)}`;

/** TOOL-NAMES-3. */
export const wireCallId = (id: string): string =>
  FITS.test(id) ? id : `call_${hashOf(id).slice(0, 24)}`;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
