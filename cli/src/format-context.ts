// Formats a context: its fill level and each message.

import type { ContextReport } from "@aos/protocol/words";
import { printable } from "./printable.ts";
import { facts, table } from "./table.ts";

const SHOWN = 60;

export const formatContext = (report: ContextReport): string =>
  `${headOf(report)}\n\n${blocksOf(report)}`;

function headOf({ pid, model, tokens, window, compactions, nextUsd }: ContextReport): string {
  const part = window === null ? "" : ` of ${window} (${Math.round((tokens / window) * 100)} %)`;
  return facts([
    ["pid", pid],
    ["model", model ?? "no request was made yet"],
    ["tokens", `${tokens}${part}`],
    ["compactions", String(compactions)],
    ["next request", nextUsd === null ? "price unknown" : `$${nextUsd.toFixed(6)} of input`],
  ]);
}

const blocksOf = ({ blocks }: ContextReport): string =>
  table(
    ["ID", "ROLE", "TOKENS", "STANDS FOR", "CALLS", "TEXT"],
    blocks.map(({ id, role, tokens, text, toolCalls, replaces }) => [
      id.slice(0, 12),
      role,
      String(tokens),
      replaces === null ? "" : `${replaces.messages} (${replaces.archive})`,
      printable(toolCalls.join(" ")),
      shortened(printable(text.replaceAll(/\s+/g, " "))),
    ]),
  );

const shortened = (text: string): string =>
  text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
