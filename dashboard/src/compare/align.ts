// Align: the steps of two runs side by side.
//
// ALIGN-1  Steps are paired in order by what they are: a call by its name and arguments, an event by its name. As many
//     as possible are paired (the longest common subsequence); the rest stand alone.
// ALIGN-2  A pair is the same where the results are; otherwise it differs.

import type { TimelineStep } from "../run/timeline.ts";

export interface StepPair {
  readonly a: TimelineStep | null;
  readonly b: TimelineStep | null;
  readonly isSame: boolean;
}

/** More than this and the table of the middle would be too large: then only equal ends are paired. */
const MOST_CELLS = 4_000_000;

export function align(a: readonly TimelineStep[], b: readonly TimelineStep[]): StepPair[] {
  const [left, right] = [a.map(identityOf), b.map(identityOf)];
  let head = 0;
  while (head < a.length && head < b.length && left[head] === right[head]) head++;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    left[a.length - 1 - tail] === right[b.length - 1 - tail]
  )
    tail++;
  const middle = subsequence(
    left.slice(head, left.length - tail),
    right.slice(head, right.length - tail),
  );
  const pairs = [
    ...Array.from({ length: head }, (_, at) => [at, at] as const),
    ...middle.map(([i, j]) => [i + head, j + head] as const),
    ...Array.from(
      { length: tail },
      (_, at) => [a.length - tail + at, b.length - tail + at] as const,
    ),
  ];
  return rowsOf(a, b, pairs);
}

function rowsOf(
  a: readonly TimelineStep[],
  b: readonly TimelineStep[],
  pairs: readonly (readonly [number, number])[],
): StepPair[] {
  const rows: StepPair[] = [];
  let [i, j] = [0, 0];
  for (const [toA, toB] of [...pairs, [a.length, b.length] as const]) {
    for (; i < toA; i++) rows.push({ a: a[i]!, b: null, isSame: false });
    for (; j < toB; j++) rows.push({ a: null, b: b[j]!, isSame: false });
    if (toA === a.length && toB === b.length) break;
    rows.push({ a: a[i]!, b: b[j]!, isSame: resultOf(a[i]!) === resultOf(b[j]!) }); // ALIGN-2
    i++;
    j++;
  }
  return rows;
}

/** The pairs of a longest common subsequence. */
function subsequence(a: readonly string[], b: readonly string[]): [number, number][] {
  if (a.length * b.length > MOST_CELLS) return [];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}

const identityOf = ({ kind, name, records: [first] }: TimelineStep): string =>
  kind === "call" && first !== undefined && "args" in first
    ? `${name} ${JSON.stringify(first.args)}`
    : `${kind} ${name}`;

function resultOf({ records }: TimelineStep): string {
  const last = records.at(-1);
  if (last === undefined) return "";
  if ("ok" in last || "err" in last)
    return JSON.stringify([(last as { ok?: unknown }).ok, (last as { err?: unknown }).err]);
  return last.kind === "end" ? JSON.stringify([last.output, last.error]) : "";
}
