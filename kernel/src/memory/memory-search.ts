// Memory search: finds files of memory by what they say. Words, neighbours, sessions and dates come from the segments;
// vectors are added where a driver of embeddings is plugged in.
//
//   const answer = await search.find([{ place, pending }], { query: "what did we decide about the port", limit: 10 })
//
// MEMORY-SEARCH-1  What may not be seen is left out before anything is counted (RETRIEVE-2).
// MEMORY-SEARCH-2  A file is found for a reason: it or what stands next to it has a word of the query, or its meaning
//     is near.
// MEMORY-SEARCH-3  A search never fails for want of vectors, and waits for them a limited time; the answer says whether
//     it had them.
// MEMORY-SEARCH-5  Several parts of memory are one search: their files are ranked together, each part by its own filter.
// MEMORY-SEARCH-4  A replaced fact is left out unless asked for; facts that contradict each other are found together.

import type { FoundKind, Label, MatchReason, SearchOptions } from "@aos/protocol";
import { isAtMost, readLabel } from "../label/label.ts";
import type { FileRow } from "../store/rows.ts";
import { dayOf } from "./dates.ts";
import type { EmbeddingBacklog } from "./embedding-backlog.ts";
import { explain } from "./explain.ts";
import { relateFacts, type RelatedFact } from "./fact-relations.ts";
import { aroundOf } from "./features.ts";
import type { LoadedMemory, MemoryChange, MemoryPlace, MemorySegments } from "./memory-segments.ts";
import { readQuery } from "./query.ts";
import { rankCandidates, type Retrieval } from "./retrieve.ts";
import type { PassageRow, IndexSegment } from "./segment.ts";
import { trainedWeights } from "./trained-weights.ts";

type Filters = {
  readonly [Name in Exclude<keyof SearchOptions, "limit" | "also" | "label">]?:
    | SearchOptions[Name]
    | undefined;
};

export interface MemoryQuery extends Filters {
  readonly query: string;
  readonly limit: number;
  readonly nowMs: number;
  /** What whoever asks has read: words that may not leave this machine are not sent away. */
  readonly askedBy: Label;
}

/** What of a part of memory a search sees. */
export interface ScopeFilter {
  /** At least this trusted. */
  readonly label?: SearchOptions["label"] | undefined;
  /** Whether a file may be seen; all of them where nothing is said. */
  readonly mayRead?: ((path: string) => boolean) | undefined;
}

/** A part of memory that is searched, by its stored path. */
export interface MemoryScope extends ScopeFilter {
  readonly place: MemoryPlace;
  /** What the next commits will write there. */
  readonly pending: () => ReadonlyMap<string, FileRow | null>;
}

export interface LoadedScope extends ScopeFilter {
  readonly loaded: LoadedMemory;
  /** Only what is below this path. */
  readonly under?: string | undefined;
}

export interface MemoryMatch {
  readonly path: string;
  readonly kind: FoundKind;
  readonly score: number;
  readonly why: readonly MatchReason[];
  readonly passage?: { readonly text: string; readonly heading?: string; readonly line?: number };
  readonly contradicts?: readonly RelatedFact[];
  readonly replacedBy?: RelatedFact;
}

export interface MemoryAnswer {
  readonly found: readonly MemoryMatch[];
  readonly searchedBy: "text" | "text and vectors";
}

/** A similarity that is a reason by itself. */
const NEAR = 0.35;

export class MemorySearch {
  readonly #segments: MemorySegments;
  readonly #backlog: EmbeddingBacklog | undefined;

  constructor(segments: MemorySegments, backlog?: EmbeddingBacklog) {
    this.#segments = segments;
    this.#backlog = backlog;
  }

  /** A file was written, or removed; for a search it costs nothing until then. */
  changed(change: MemoryChange): void {
    this.#segments.changed(change);
  }

  close(): void {
    this.#backlog?.close();
  }

  /** The parts are of one tenant, and no two of one mount. */
  async find(
    parts: readonly MemoryScope[],
    query: MemoryQuery,
    others: readonly LoadedScope[] = [],
  ): Promise<MemoryAnswer> {
    const loaded: LoadedScope[] = [...others];
    for (const { place, pending, ...filter } of parts)
      loaded.push({
        ...filter,
        loaded: await this.#segments.load(place, pending),
        under: place.under === place.mount ? undefined : place.under,
      });
    return this.findIn(loaded, query);
  }

  /** The same in segments that somebody else keeps. */
  async findIn(parts: readonly LoadedScope[], query: MemoryQuery): Promise<MemoryAnswer> {
    const vector = await this.#backlog?.vectorFor(query.query, together(parts), query.askedBy); // MEMORY-SEARCH-3
    const scope = parts.flatMap((part) =>
      part.loaded.current().map((segment) => ({
        segment,
        isVisible: visibleRows(segment, part, query),
        mayRead: part.mayRead,
      })),
    );
    const weights = trainedWeights();
    const read = readQuery(query.query, { today: dayOf(query.nowMs), vector });
    const { found, text } = rankCandidates({ scope, query: read, weights, limit: query.limit });
    const fitting = found.filter(hasReason);
    const isByFile = query.unit !== "passage";
    const best = (isByFile ? onePerFile(fitting) : fitting).slice(0, query.limit);
    const matches = best.map((one) => ({
      path: one.row.file.path,
      kind: one.row.file.content.fact === undefined ? one.row.kind : ("fact" as const),
      score: shownScore(one.score),
      why: explain(one, read, text, weights),
      ...passageOf(one.row, isByFile),
    }));
    return {
      searchedBy:
        vector !== undefined && scope.some(({ segment }) => segment.embedded > 0)
          ? "text and vectors"
          : "text",
      found: relateFacts(matches, scope, query.limit),
    };
  }
}

/** One query has one vector: the parts are embedded together. */
function together(parts: readonly LoadedScope[]): LoadedMemory {
  const [first] = parts;
  if (parts.length === 1) return first!.loaded;
  return {
    tenant: first!.loaded.tenant,
    current: () => parts.flatMap(({ loaded }) => loaded.current()),
  };
}

/** MEMORY-SEARCH-1. Undefined where all are visible. */
function visibleRows(
  segment: IndexSegment,
  { under, mayRead, label }: LoadedScope,
  { writer, since, until, kind, replaced }: MemoryQuery,
): Uint8Array | undefined {
  const hidden = replaced === true ? undefined : segment.facts.replaced(mayRead); // MEMORY-SEARCH-4
  const isFiltered = [mayRead, writer, label, since, until, kind].some((one) => one !== undefined);
  if (under === undefined && !isFiltered && (hidden?.size ?? 0) === 0) return undefined;
  const ceiling: Label | undefined =
    label === undefined ? undefined : { integrity: label, secrecy: "secret" };
  const isWanted = ({ kind: own, file }: PassageRow): boolean =>
    (under === undefined || file.path.startsWith(`${under}/`)) &&
    (writer === undefined || file.writer === writer) &&
    (since === undefined || file.writtenAt >= since) &&
    (until === undefined || file.writtenAt < until) &&
    (kind === undefined || own === kind) &&
    (ceiling === undefined || isAtMost(withoutTags(readLabel(file.label)), ceiling)) &&
    (mayRead === undefined || mayRead(file.path)) &&
    hidden?.has(file.path) !== true;
  const visible = new Uint8Array(segment.rows.length);
  for (const path of segment.paths) {
    const rows = segment.rowsOf(path);
    if (isWanted(segment.rows[rows[0]!]!)) for (const row of rows) visible[row] = 1;
  }
  return visible;
}

const withoutTags = ({ integrity, secrecy }: Label): Label => ({ integrity, secrecy });

/** MEMORY-SEARCH-2. */
function hasReason({ candidate }: Retrieval): boolean {
  const { scores, row, meanings } = candidate;
  if (scores.anyMask[row] !== 0) return true;
  if ((meanings?.own[row] ?? 0) >= NEAR) return true;
  return aroundOf(candidate).near.some((one) => scores.ownMask[one] !== 0);
}

function onePerFile(found: readonly Retrieval[]): Retrieval[] {
  const paths = new Set<string>();
  return found.filter(({ row: { file } }) => {
    const isNew = !paths.has(file.path);
    paths.add(file.path);
    return isNew;
  });
}

const shownScore = (score: number): number => Math.round(1000 / (1 + Math.exp(-score / 2))) / 1000;

function passageOf(
  { file, passage: { text, head, line } }: PassageRow,
  isByFile: boolean,
): Pick<MemoryMatch, "passage"> {
  if (isByFile && file.content.passages.length === 1) return {};
  return {
    passage: {
      text,
      ...(head === undefined || head === "" ? {} : { heading: head }),
      ...(line === undefined ? {} : { line }),
    },
  };
}
