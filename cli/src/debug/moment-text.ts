// Moment text: formats the state of a process at a record.

import type { JournalRecord, MomentReport } from "@aos/protocol/words";
import { stringify } from "yaml";
import { money } from "../money.ts";
import { printable } from "../printable.ts";
import { facts } from "../table.ts";
import { labelled } from "./cause-tree.ts";

/**
 * The record with its values, what it came to before what it was given. What a model was shown is its
 * context, and is told as that.
 */
export function recordText(record: JournalRecord): string {
  const { args } = record as { args?: { messages?: unknown } };
  const isRequest = record.kind === "call" && record.call === "infer";
  const messages = isRequest && Array.isArray(args?.messages) ? args.messages.length : undefined;
  const shown =
    messages === undefined
      ? record
      : { ...record, args: { ...args, messages: `${messages}: see the context` } };
  const { args: given, ...rest } = shown as { args?: unknown };
  const at = new Date(record.at).toISOString();
  const ordered = { ...rest, at, ...(given === undefined ? {} : { args: given }) };
  return printable(stringify(ordered)).trimEnd();
}

/** `$0.0050 of $1.0000, 50 tokens of 1000` */
export function spentText({ spent, limit }: Pick<MomentReport, "spent" | "limit">): string {
  const of = (most: string | undefined) => (most === undefined ? "" : ` of ${most}`);
  const usd = `${money(spent.usd)}${of(limit.usd === undefined ? undefined : money(limit.usd))}`;
  return `${usd}, ${spent.tokens} tokens${of(limit.tokens?.toString())}`;
}

export const momentText = (moment: MomentReport, context: string): string =>
  [
    facts([
      ["process", `${moment.pid} (${printable(moment.agent)})`],
      ["record", `${moment.seq} of 0 to ${moment.records - 1}`],
      ["had read", labelled(moment.label)],
      ["spent", spentText(moment)],
    ]),
    recordText(moment.record),
    context,
  ].join("\n\n");
