// Consolidation: what can be tidied in one space of memory, as changes that a person may look at first and take back.
//
// CONSOLIDATION-1  Nothing that another fact hid comes to light again: what replaces a fact goes no sooner than it.
// CONSOLIDATION-2  Of facts with the same words the most trusted stays, as it is: no label is changed.
// CONSOLIDATION-3  Only episodes of one label are summarized together, and the summary has it.

import { readEpisode, readFact, spaced, type Episode, type Fact, type Json } from "@aos/protocol";
import { readLabel } from "../label/label.ts";
import type { FileRow } from "../store/rows.ts";
import { FactRelations } from "./fact-relations.ts";

export interface TidyRules {
  readonly nowMs: number;
  /** Facts replaced, and episodes written, longer ago than this. */
  readonly olderThanMs: number;
  readonly maxAgeMs?: number | undefined;
  readonly maxRows?: number | undefined;
}

export const tidyKinds = ["replaced", "duplicate", "summary", "age", "size"] as const;

export interface TidyChange {
  readonly kind: (typeof tidyKinds)[number];
  readonly removed: readonly FileRow[];
  /** What stands for them from now on; null where nothing does. */
  readonly kept: string | null;
  readonly written: FileRow | null;
}

interface Parsed {
  readonly row: FileRow;
  readonly fact: Fact | undefined;
  readonly episode: Episode | undefined;
}

/** So many episodes of one goal and outcome are worth a summary. */
const LEAST_EPISODES = 3;
/** Who wrote a summary: no process. */
const WRITER = "tidy";

/** Each kind looks at what those before it have left. */
export function tidyChanges(rows: readonly FileRow[], rules: TidyRules): TidyChange[] {
  const changes: TidyChange[] = [];
  let left = rows.map(parsed);
  for (const look of [replacedFacts, duplicates, summaries, tooOld, tooMany]) {
    const found = look(left, rules);
    const gone = new Set(found.flatMap(({ removed }) => removed.map(({ path }) => path)));
    left = left.filter(({ row }) => !gone.has(row.path));
    left.push(...found.flatMap(({ written }) => (written === null ? [] : [parsed(written)])));
    changes.push(...found);
  }
  return changes;
}

function parsed(row: FileRow): Parsed {
  const data = JSON.parse(row.data) as Json;
  return { row, fact: readFact(data), episode: readEpisode(data) };
}

const isFact = (one: Parsed): one is Parsed & { fact: Fact } => one.fact !== undefined;

function relationsOf(rows: readonly Parsed[]): FactRelations {
  const relations = new FactRelations();
  for (const { row, fact } of rows)
    if (fact !== undefined) relations.put({ ...row, content: { fact } });
  return relations;
}

function replacedFacts(rows: readonly Parsed[], { nowMs, olderThanMs }: TidyRules): TidyChange[] {
  const relations = relationsOf(rows);
  return rows.filter(isFact).flatMap(({ row }): TidyChange[] => {
    const replacer = relations.replacerOf(row.path, undefined);
    if (replacer === undefined || replacer.writtenAt > nowMs - olderThanMs) return [];
    return [{ kind: "replaced", removed: [row], kept: replacer.path, written: null }];
  });
}

const TRUST = ["trusted", "mixed", "untrusted"];
const trustOf = ({ label }: FileRow): number => TRUST.indexOf(readLabel(label).integrity);

/** CONSOLIDATION-1, CONSOLIDATION-2. */
function duplicates(rows: readonly Parsed[]): TidyChange[] {
  const relations = relationsOf(rows);
  const standing = rows
    .filter(isFact)
    .filter(({ row }) => relations.replacerOf(row.path, undefined) === undefined);
  const groups = Map.groupBy(standing, ({ fact }) => spaced(fact.text).toLowerCase());
  return [...groups.values()].flatMap((group): TidyChange[] => {
    const [best, ...others] = group.toSorted(
      (a, b) =>
        trustOf(a.row) - trustOf(b.row) ||
        Number(b.fact.replaces !== undefined) - Number(a.fact.replaces !== undefined) ||
        Number(b.fact.subject !== undefined) - Number(a.fact.subject !== undefined) ||
        b.fact.confidence - a.fact.confidence ||
        a.row.writtenAt - b.row.writtenAt,
    );
    const removed = others
      .filter(
        ({ fact: { replaces } }) => replaces === undefined || replaces === best!.fact.replaces,
      )
      .map(({ row }) => row);
    if (removed.length === 0) return [];
    return [{ kind: "duplicate", removed, kept: best!.row.path, written: null }];
  });
}

/** CONSOLIDATION-3. */
function summaries(rows: readonly Parsed[], { nowMs, olderThanMs }: TidyRules): TidyChange[] {
  const old = rows.flatMap(({ row, episode }) =>
    episode !== undefined && row.writtenAt < nowMs - olderThanMs ? [{ row, episode }] : [],
  );
  const groups = Map.groupBy(old, ({ row: { label }, episode: { goal, outcome } }) =>
    JSON.stringify([label, outcome, spaced(goal).toLowerCase()]),
  );
  return [...groups.values()].flatMap((group): TidyChange[] => {
    if (group.length < LEAST_EPISODES) return [];
    const inTime = group.toSorted((a, b) => a.row.writtenAt - b.row.writtenAt);
    const [first, last] = [inTime[0]!, inTime.at(-1)!];
    const times = `${group.length} times from ${dayOf(first.row)} to ${dayOf(last.row)}`;
    const episode: Episode = {
      ...last.episode,
      reflection: [last.episode.reflection, `This is the last of ${times}.`].join(" ").trim(),
    };
    const path = `${last.row.path}-and-${group.length - 1}-before`;
    const written = { ...last.row, path, data: JSON.stringify(episode), writer: WRITER };
    return [{ kind: "summary", removed: inTime.map(({ row }) => row), kept: path, written }];
  });
}

const dayOf = ({ writtenAt }: FileRow): string => new Date(writtenAt).toISOString().slice(0, 10);

const oldestFirst = (rows: readonly Parsed[]): FileRow[] =>
  rows.map(({ row }) => row).toSorted((a, b) => a.writtenAt - b.writtenAt);

function tooOld(rows: readonly Parsed[], { nowMs, maxAgeMs = Infinity }: TidyRules): TidyChange[] {
  const removed = oldestFirst(rows).filter(({ writtenAt }) => writtenAt < nowMs - maxAgeMs);
  return removed.length === 0 ? [] : [{ kind: "age", removed, kept: null, written: null }];
}

/** The oldest go: by time, what is replaced goes before what replaces it (CONSOLIDATION-1). */
function tooMany(rows: readonly Parsed[], { maxRows = Infinity }: TidyRules): TidyChange[] {
  const excess = rows.length - maxRows;
  if (!(excess > 0)) return [];
  return [{ kind: "size", removed: oldestFirst(rows).slice(0, excess), kept: null, written: null }];
}
