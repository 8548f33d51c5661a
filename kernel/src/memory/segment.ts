// Segment: the index of the files below one place of memory, in this process. Rows are passages; a group is what they
// stand in together: a session of a dialogue, a document, a folder.
//
//   segment.put({ path, content, writtenAt, writer, label })
//   segment.embed(row, vector)
//   segment.remove(path)
//
// SEGMENT-1  It follows from the files alone, whatever the order in which they were put; only of candidates with the
//     same first score, that order chooses which are left out.
// SEGMENT-2  Nothing of a removed or replaced file is in the statistics of a search.
// SEGMENT-3  Rows are neighbours only if one follows the other: turns of a session, sections of a file.

import type { MemoryContent, ContentKind, Passage } from "./content.ts";
import { FactRelations } from "./fact-relations.ts";
import { datesIn, mentionsTime, type DateRange } from "./dates.ts";
import { properNamesIn, indexTermsOf } from "./terms.ts";
import { ScratchMemory } from "./scratch-memory.ts";
import { VectorTable, type QuantizedVector } from "./vector-table.ts";

export interface SegmentFile {
  readonly path: string;
  readonly content: MemoryContent;
  readonly writtenAt: number;
  readonly writer: string;
  readonly label: string;
}

/** The rows that have a term, and how often in the text and in the head. */
export interface Postings {
  readonly rows: number[];
  readonly own: number[];
  readonly head: number[];
  /** How many rows and groups have it, as they were counted last. */
  counted?: { readonly version: number; readonly rows: number; readonly groups: number };
}

export interface PassageRow {
  readonly file: SegmentFile;
  readonly passage: Passage;
  readonly kind: ContentKind;
  readonly group: number;
  /** Where it stands in its group: paths with numbers in their order, then passages. */
  readonly key: string;
  readonly terms: number;
  readonly author: string | undefined;
  /** The first passage of a file that has several: it says what the file is. */
  readonly isOpening: boolean;
  readonly isQuestion: boolean;
  readonly mentionsTime: boolean;
  readonly names: number;
  readonly dates: readonly DateRange[];
}

interface Group {
  readonly isOrdered: boolean;
  readonly rows: number[];
  isSorted: boolean;
}

const naturalKey = (path: string): string =>
  path.replaceAll(/\d+/g, (digits) => digits.padStart(12, "0"));
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

export class IndexSegment {
  /** By row; undefined where it was removed. */
  readonly rows: (PassageRow | undefined)[] = [];
  readonly postings = new Map<string, Postings>();
  /** By row: the one before and after it in its group, or -1. */
  #before = new Int32Array(64);
  #after = new Int32Array(64);
  #slots = new Int32Array(64);
  #lengths = new Int32Array(64);
  #groupOfRow = new Int32Array(64);
  readonly #groups: Group[] = [];
  readonly #groupByName = new Map<string, number>();
  readonly #files = new Map<string, readonly number[]>();
  readonly facts = new FactRelations();
  /** Arrays of one search, which the next uses again: new ones of this size are a burden to the collector. */
  readonly scratch = new ScratchMemory();
  #vectors: VectorTable | undefined;
  #embedded = 0;
  #live = 0;
  #terms = 0;
  #version = 0;

  /** Another one after each change. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#live;
  }

  get embedded(): number {
    return this.#embedded;
  }

  get groupCount(): number {
    return this.#groups.length;
  }

  get averageTerms(): number {
    return this.#terms / Math.max(1, this.#live);
  }

  /** Roughly, in bytes: for a limit. */
  get bytes(): number {
    return this.#live * 600 + this.#terms * 24 + (this.#vectors?.bytes ?? 0);
  }

  /** By row: its number of terms, or -1 where it was removed. Numbers in a row, for loops over many. */
  get lengths(): Int32Array {
    return this.#lengths;
  }

  /** By row: its group. */
  get groupOfRow(): Int32Array {
    return this.#groupOfRow;
  }

  get paths(): IterableIterator<string> {
    return this.#files.keys();
  }

  put(file: SegmentFile): readonly number[] {
    this.remove(file.path);
    this.#version++;
    const { kind, passages } = file.content;
    const isSplit = passages.length > 1;
    const name = isSplit ? file.path : folderOf(file.path);
    const group = this.#groupOf(name, isSplit || kind === "dialogue" || kind === "episode");
    const key = naturalKey(file.path);
    const rows = passages.map((passage, at) =>
      this.#addRow(file, passage, {
        group,
        key: `${key} ${String(at).padStart(6, "0")}`,
        isOpening: isSplit && at === 0,
      }),
    );
    this.#files.set(file.path, rows);
    this.facts.put(file);
    return rows;
  }

  rowsOf(path: string): readonly number[] {
    return this.#files.get(path) ?? [];
  }

  fileOf(path: string): SegmentFile | undefined {
    const [row] = this.rowsOf(path);
    return row === undefined ? undefined : this.rows[row]?.file;
  }

  /** SEGMENT-2. */
  remove(path: string): void {
    this.#version++;
    for (const row of this.#files.get(path) ?? []) {
      const gone = this.rows[row];
      if (gone === undefined) continue;
      this.rows[row] = undefined;
      this.#lengths[row] = -1;
      this.#live--;
      this.#terms -= gone.terms;
      const group = this.#groups[gone.group]!;
      group.rows.splice(group.rows.indexOf(row), 1);
      group.isSorted = false;
      if (this.#slots[row]! >= 0) {
        this.#vectors!.remove(this.#slots[row]!);
        this.#slots[row] = -1;
        this.#embedded--;
      }
    }
    this.#files.delete(path);
    this.facts.remove(path);
  }

  embed(row: number, vector: QuantizedVector): void {
    if (this.rows[row] === undefined || this.#slots[row]! >= 0) return;
    this.#vectors ??= new VectorTable(vector.numbers.length);
    this.#slots[row] = this.#vectors.add(vector);
    this.#embedded++;
  }

  hasVector = (row: number): boolean => this.#slots[row]! >= 0;

  dropVectors(): void {
    this.#vectors = undefined;
    this.#embedded = 0;
    this.#slots.fill(-1);
  }

  /** By row; NaN where it has no vector. */
  similarities(query: QuantizedVector): Float32Array | undefined {
    if (this.#vectors === undefined || this.#vectors.dims !== query.numbers.length)
      return undefined;
    const bySlot = this.#vectors.similarities(query);
    const found = this.scratch.floats("similarities", this.rows.length);
    const slots = this.#slots;
    for (let row = 0; row < found.length; row++)
      found[row] = slots[row]! >= 0 ? bySlot[slots[row]!]! : NaN;
    return found;
  }

  /** Brings the neighbours up to date; before each search. */
  sort(): { readonly before: Int32Array; readonly after: Int32Array } {
    for (const group of this.#groups) if (!group.isSorted) this.#sortGroup(group);
    return { before: this.#before, after: this.#after };
  }

  #sortGroup(group: Group): void {
    const { rows } = group;
    rows.sort((one, other) => (this.rows[one]!.key < this.rows[other]!.key ? -1 : 1));
    for (const [at, row] of rows.entries()) {
      this.#before[row] = group.isOrdered ? (rows[at - 1] ?? -1) : -1;
      this.#after[row] = group.isOrdered ? (rows[at + 1] ?? -1) : -1;
    }
    group.isSorted = true;
  }

  #groupOf(name: string, isOrdered: boolean): number {
    const full = `${isOrdered ? "in order" : "folder"} ${name}`;
    const known = this.#groupByName.get(full);
    if (known !== undefined) return known;
    this.#groups.push({ isOrdered, rows: [], isSorted: true });
    this.#groupByName.set(full, this.#groups.length - 1);
    return this.#groups.length - 1;
  }

  #addRow(
    file: SegmentFile,
    passage: Passage,
    { group, key, isOpening }: Pick<PassageRow, "group" | "key" | "isOpening">,
  ): number {
    const row = this.rows.length;
    const own = countsOf(indexTermsOf(passage.text));
    const head = countsOf(indexTermsOf(`${file.path} ${passage.head ?? ""}`));
    for (const [term, count] of own.counts)
      this.#post(term, row, count, head.counts.get(term) ?? 0);
    for (const [term, count] of head.counts)
      if (!own.counts.has(term)) this.#post(term, row, 0, count);
    this.rows.push({
      file,
      passage,
      kind: file.content.kind,
      group,
      key,
      terms: own.length,
      author: passage.author?.toLowerCase(),
      isOpening,
      isQuestion: /\?\s*$|\?\s+\S{0,20}$/.test(passage.text),
      mentionsTime: mentionsTime(passage.text),
      names: properNamesIn(passage.text).length,
      dates: datesIn(passage.text, passage.day),
    });
    this.#reserve(row + 1);
    this.#lengths[row] = own.length;
    this.#groupOfRow[row] = group;
    this.#live++;
    this.#terms += own.length;
    const members = this.#groups[group]!;
    members.isSorted = false;
    members.rows.push(row);
    return row;
  }

  #post(term: string, row: number, own: number, head: number): void {
    let postings = this.postings.get(term);
    if (postings === undefined)
      this.postings.set(term, (postings = { rows: [], own: [], head: [] }));
    postings.rows.push(row);
    postings.own.push(own);
    postings.head.push(head);
  }

  #reserve(count: number): void {
    if (count > this.#before.length) {
      const larger = () => new Int32Array(count * 2);
      const copy = (from: Int32Array) => {
        const to = larger();
        to.set(from);
        return to;
      };
      this.#before = copy(this.#before);
      this.#after = copy(this.#after);
      this.#slots = copy(this.#slots);
      this.#lengths = copy(this.#lengths);
      this.#groupOfRow = copy(this.#groupOfRow);
    }
    this.#before[count - 1] = this.#after[count - 1] = this.#slots[count - 1] = -1;
  }
}

function countsOf(terms: readonly string[]) {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { counts, length: terms.length };
}
