// Table: rows for people, in columns.
//
//   table(["PID", "+LANE"], rows, out)     a heading with + is a column of `-o wide` only

import { colors } from "./colors.ts";
import { shownWidth } from "./shown-width.ts";

const GAP = "  ";

export function table(
  given: readonly string[],
  cells: readonly (readonly string[])[],
  { isWide }: { readonly isWide: boolean } = { isWide: true },
): string {
  const shown = (_: string, column: number) => isWide || !given[column]?.startsWith("+");
  const headings = given.filter(shown).map((heading) => heading.replace(/^\+/, ""));
  const rows = cells.map((row) => row.filter(shown));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => shownWidth(row[column] ?? ""))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - shownWidth(cell)))
      .join(GAP)
      .trimEnd();
  return [colors.bold(line(headings)), ...rows.map(line)].join("\n");
}

/** Names and values below each other. */
export function facts(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => shownWidth(name)));
  const filled = (name: string) => name + " ".repeat(width - shownWidth(name));
  return pairs.map(([name, value]) => `${filled(name)}${GAP}${value}`).join("\n");
}

/** `3s`, `12m`, `5h`, `2d`: how long ago. */
export const ago = (time: string, nowMs: number): string => long(nowMs - Date.parse(time));

/** The same, until then. */
export const left = (time: string, nowMs: number): string => long(Date.parse(time) - nowMs);

function long(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
