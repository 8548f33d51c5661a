// Redaction: parts of a text that must go, and the text without them.
//
//   mergeFindings(found)        in order, none inside another, those that overlap joined into one
//   redact(text, parts)  each part replaced by the markers of what was in it
//
// A marker is `[secret:NAME]`. It has no character with a meaning in JSON or in a URL.

export interface Finding {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

export interface RedactedSpan {
  readonly start: number;
  readonly end: number;
  readonly markers: string;
}

const MARKER_START = "[secret:";
/** The longest name that a marker of ours holds. */
const LONGEST_NAME = 63;

export const markerOf = (name: string): string => `${MARKER_START}${name}]`;

/** The earlier wins, of those that start together the longer, and of equals the one found first. */
export function mergeFindings(found: readonly Finding[]): RedactedSpan[] {
  const parts: { start: number; end: number; names: string[] }[] = [];
  for (const { start, end, name } of [...found].sort(
    (a, b) => a.start - b.start || b.end - a.end,
  )) {
    const last = parts.at(-1);
    if (last === undefined || start >= last.end) parts.push({ start, end, names: [name] });
    else if (end > last.end) {
      last.end = end;
      if (last.names.at(-1) !== name) last.names.push(name);
    }
  }
  return parts.map(({ start, end, names }) => ({
    start,
    end,
    markers: names.map(markerOf).join(""),
  }));
}

export function redact(text: string, parts: readonly RedactedSpan[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, markers } of parts) {
    pieces.push(text.slice(from, start), markers);
    from = end;
  }
  return pieces.join("") + text.slice(from);
}

/** Whether it lies within a marker of one of these names: a name may look like a secret. */
export function isInMarker(
  text: string,
  { start, end }: Finding,
  names: ReadonlySet<string>,
): boolean {
  const base = Math.max(0, start - LONGEST_NAME - MARKER_START.length);
  const near = text.slice(base, start + MARKER_START.length);
  const open = near.lastIndexOf(MARKER_START);
  if (open < 0) return false;
  const nameAt = base + open + MARKER_START.length;
  const close = text.slice(nameAt, nameAt + LONGEST_NAME + 1).indexOf("]");
  return close >= 0 && end <= nameAt + close + 1 && names.has(text.slice(nameAt, nameAt + close));
}
