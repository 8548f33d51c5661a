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
  const columns = [...given.keys()].filter((at) => isWide || !given[at]!.startsWith("+"));
  const headings = given.map((heading) => heading.replace(/^\+/, ""));
  const widths = columns.map((at) => {
    let width = headings[at]!.length;
    for (const row of cells) width = Math.max(width, shownWidth(row[at] ?? ""));
    return width;
  });
  // A thousand rows are measured and written before a short command is warm: no lists of a cell each.
  const line = (row: readonly string[]): string => {
    let text = "";
    for (const [nth, at] of columns.entries()) {
      const cell = row[at] ?? "";
      text += cell + " ".repeat(widths[nth]! - shownWidth(cell)) + GAP;
    }
    return text.trimEnd();
  };
  return [colors.bold(line(headings)), ...cells.map(line)].join("\n");
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
