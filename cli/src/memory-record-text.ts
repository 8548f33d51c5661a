// Memory record as lines of text: where a record comes from, and the facts that it is related to. What an agent chose,
// such as a path or a text, is escaped (MEMORY-TEXT-1) and stays on its line.

import type { MemoryRecord } from "@aos/protocol";
import { printable } from "./printable.ts";

type Related = MemoryRecord["contradicts"][number];
type Place = MemoryRecord["from"];

export function recordLines(record: MemoryRecord): string[] {
  const { path, kind, label, writer, writtenAt, writtenBy, from } = record;
  const { replaces, replacedBy, contradicts } = record;
  const related = (title: string, facts: readonly Related[]) =>
    facts.map((one) => line(title, `${one.path}  ${one.label}  ${one.text}`));
  return [
    line("path", path),
    line("kind", kind),
    line("label", label),
    line("writer", writer),
    line("written", `${writtenAt}${placeText(writtenBy)}`),
    ...(from === null ? [] : [line("taken from", placeText(from).trim())]),
    ...(replacedBy === null ? [] : related("replaced by", [replacedBy])),
    ...related("replaces", replaces),
    ...related("contradicts", contradicts),
  ];
}

const line = (title: string, text: string): string =>
  `${title.padEnd(12)} ${printable(text.replaceAll(/\s*\n\s*/g, " "))}`;
const placeText = (place: Place): string =>
  place === null ? "" : `  record ${place.seq} of ${place.pid}`;
