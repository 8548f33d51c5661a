// Select passages: of what a search has found, what is worth its tokens. The best first, until the budget is spent;
// what is left out is counted, with the reason.
//
// SELECT-1  The tokens of all that is selected are within the budget. Only the best passage of all is cut to fit.
// SELECT-2  The same text is selected once.
// SELECT-3  Passages that follow each other in a file are one.
// SELECT-4  Passages with the same heading that say different things are selected together, and named as a conflict.
// SELECT-5  Every passage that was found is selected or counted as left out.

import type { ClaimedSource, Found, PassageSource } from "./sys.ts";

export interface SelectedPassage {
  readonly n: number;
  readonly path: string;
  readonly source: PassageSource | undefined;
  readonly claimed?: ClaimedSource;
  readonly heading: string | undefined;
  readonly line: number | undefined;
  readonly endLine: number | undefined;
  readonly text: string;
  readonly score: number;
  readonly tokens: number;
  readonly label: string | undefined;
  readonly writtenAt: number | undefined;
}

export type OmissionReason = "budget" | "weak" | "duplicate";

export interface PassageSelection {
  readonly passages: readonly SelectedPassage[];
  readonly conflicts: readonly { readonly heading: string; readonly passages: readonly number[] }[];
  readonly leftOut: readonly {
    readonly reason: OmissionReason;
    readonly passages: number;
    readonly tokens: number;
  }[];
  readonly tokens: number;
}

type Draft = Omit<SelectedPassage, "n">;

/** Below this part of the best one's evidence a passage is not worth its tokens. */
const WORTH = 0.4;
/** Of the words of two texts, the part that both have: from here on they are versions of one. */
const SAME_SUBJECT = 0.4;
const CHARS_A_TOKEN = 4;
/** Blank lines between two passages that follow each other. */
const MOST_BLANK = 3;

/** Roughly: what it is for a model, only its tokenizer knows. */
const tokensOf = (text: string): number => Math.ceil(text.length / CHARS_A_TOKEN);

export function selectPassages(found: readonly Found[], budget: number): PassageSelection {
  const ordered = found.map(draftOf).sort((a, b) => b.score - a.score || inOrder(a, b));
  const least = leastWorth(ordered[0]?.score ?? 0);
  const leftOut = new Map<OmissionReason, { passages: number; tokens: number }>();
  const omit = (reason: OmissionReason, { tokens }: Draft): void => {
    const before = leftOut.get(reason) ?? { passages: 0, tokens: 0 };
    leftOut.set(reason, { passages: before.passages + 1, tokens: before.tokens + tokens });
  };
  const seen = new Set<string>();
  const selected: Draft[] = [];
  let left = budget;
  const waiting = [...ordered];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const same = comparable(next.text);
    if (seen.has(same)) {
      omit("duplicate", next); // SELECT-2
      continue;
    }
    if (next.score < least) {
      omit("weak", next);
      continue;
    }
    const fitting = selected.length === 0 ? cutTo(next, left) : next;
    if (fitting.tokens > left) {
      omit("budget", next);
      continue;
    }
    seen.add(same);
    selected.push(fitting);
    left -= fitting.tokens;
    const versions = waiting.filter((one) => isConflict(next!, one)); // SELECT-4
    for (const one of versions) waiting.splice(waiting.indexOf(one), 1);
    waiting.unshift(...versions);
  }
  const passages = mergeNeighbours(selected).map((one, at) => ({ ...one, n: at + 1 }));
  return {
    passages,
    conflicts: conflictsAmong(passages),
    leftOut: [...leftOut].map(([reason, sums]) => ({ reason, ...sums })),
    tokens: passages.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** A score is a logistic function of the evidence: parts are taken of that, so that 0.7 is far from 0.98. */
function leastWorth(best: number): number {
  if (best <= 0.5 || best >= 1) return best * WORTH;
  return 1 / (1 + Math.exp(-WORTH * Math.log(best / (1 - best))));
}

function draftOf(found: Found): Draft {
  const { path, data, passage, source, claimed, score, label, writtenAt } = found;
  const text = passage?.text ?? (typeof data === "string" ? data : JSON.stringify(data));
  const { line, heading } = passage ?? {};
  return {
    path,
    source,
    ...(claimed === undefined ? {} : { claimed }),
    heading,
    line,
    endLine: line === undefined ? undefined : line + text.split("\n").length - 1,
    text,
    score,
    tokens: tokensOf(text),
    label,
    writtenAt,
  };
}

const inOrder = (a: Draft, b: Draft): number =>
  a.path === b.path ? (a.line ?? 0) - (b.line ?? 0) : a.path < b.path ? -1 : 1;

const comparable = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** SELECT-1. */
function cutTo(one: Draft, budget: number): Draft {
  if (one.tokens <= budget) return one;
  const text = `${one.text.slice(0, budget * CHARS_A_TOKEN - 1)}…`;
  const endLine = one.line === undefined ? undefined : one.line + text.split("\n").length - 1;
  return { ...one, text, endLine, tokens: tokensOf(text) };
}

/** SELECT-3. In the place of the better one; a join costs no more than its parts. */
function mergeNeighbours(selected: readonly Draft[]): Draft[] {
  const merged: Draft[] = [];
  for (const one of selected) {
    const at = merged.findIndex((other) => follows(other, one) || follows(one, other));
    if (at < 0) {
      merged.push(one);
      continue;
    }
    const other = merged[at]!;
    const [first, second] = follows(other, one) ? [other, one] : [one, other];
    const gap = "\n".repeat(second.line! - first.endLine!);
    const text = `${first.text}${gap}${second.text}`;
    merged[at] = {
      ...other,
      text,
      heading: first.heading,
      line: first.line,
      endLine: second.endLine,
      tokens: first.tokens + second.tokens,
      score: Math.max(first.score, second.score),
    };
  }
  return merged.length === selected.length ? merged : mergeNeighbours(merged);
}

const follows = (first: Draft, second: Draft): boolean =>
  first.path === second.path &&
  first.endLine !== undefined &&
  second.line !== undefined &&
  second.line > first.endLine &&
  second.line <= first.endLine + MOST_BLANK;

const nameOf = ({ path }: Draft): string => path.slice(path.lastIndexOf("/") + 1);

/** The same heading elsewhere, about the same things, and not the same text. */
function isConflict(one: Draft, other: Draft): boolean {
  if (one.path === other.path || !one.heading || one.heading !== other.heading) return false;
  // Declarations share short names: there, only files of the same name are versions of each other.
  const isText = one.heading.includes("›") || /\.(?:md|html?|txt|rst|pdf)$/i.test(nameOf(one));
  if (!isText && nameOf(one) !== nameOf(other)) return false;
  if (comparable(one.text) === comparable(other.text)) return false;
  const [mine, theirs] = [wordsOf(one.text), wordsOf(other.text)];
  const both = [...mine].filter((word) => theirs.has(word)).length;
  return both / (mine.size + theirs.size - both) >= SAME_SUBJECT;
}

const wordsOf = (text: string): Set<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

function conflictsAmong(passages: readonly SelectedPassage[]): PassageSelection["conflicts"] {
  const conflicts = new Map<string, Set<number>>();
  for (const [at, one] of passages.entries())
    for (const other of passages.slice(at + 1)) {
      if (!isConflict(one, other)) continue;
      const members = conflicts.get(one.heading!) ?? new Set<number>();
      conflicts.set(one.heading!, members.add(one.n).add(other.n));
    }
  return [...conflicts].map(([heading, members]) => ({ heading, passages: [...members] }));
}
