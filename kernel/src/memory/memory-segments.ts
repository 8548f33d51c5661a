// Memory segments: the segments of memory that were searched since the start, filled from the store at the first search
// and kept up to date by the writes of this node. Nothing is kept for memory that nobody searches.
//
//   const loaded = await segments.load(place, pending)
//   loaded.current()                      the segments of the place, with all that is written by now
//   segments.changed(row)                 a file was written; nothing happens unless its segment is loaded
//
// MEMORY-SEGMENTS-1  One folder directly below a mount is one segment: a search below it reads, and takes the time of,
//     no other.
// MEMORY-SEGMENTS-2  A file is searched as it was last written, also if the commit is still to come.
// MEMORY-SEGMENTS-3  Memory is bounded: segments are dropped and filled again at need, first those of memories that take
//     more than their share, then those that were searched least recently. A large memory evicts no small one.
// MEMORY-SEGMENTS-4  What other nodes wrote is read before each search of a shared store.

import { isAgentMemory, type Json } from "@aos/protocol";
import type { Store } from "../store/contract.ts";
import type { FileRow, ProcessKey, TenantKey } from "../store/rows.ts";
import { memoryContentOf } from "./content.ts";
import { dayOf } from "./dates.ts";
import { nextTurn } from "./next-turn.ts";
import { IndexSegment } from "./segment.ts";

export interface MemoryPlace {
  readonly tenant: TenantKey;
  readonly space: ProcessKey;
  /** `/mem/shared`, … */
  readonly mount: string;
  /** The mount itself or a path below it. */
  readonly under: string;
}

export interface MemoryChange {
  readonly tenant: TenantKey;
  readonly space: ProcessKey;
  readonly path: string;
  /** Null for one that was removed. */
  readonly row: FileRow | null;
}

export interface LoadedMemory {
  readonly tenant: TenantKey;
  /** The most vectors that are made of it; all where nothing is said. */
  readonly mostVectors?: number;
  readonly current: () => readonly IndexSegment[];
}

interface Area {
  readonly tenant: TenantKey;
  readonly mount: string;
  /** By the folder below the mount; "" has the files directly below it. */
  readonly segments: Map<string, IndexSegment>;
  readonly loaded: Map<string, Promise<void>>;
  /** The folders that are read to their end. */
  readonly ready: Set<string>;
  /** Written since the segments were last brought up to date. */
  readonly changes: Map<string, FileRow | null>;
  /** The latest time of writing that was read from a shared store. */
  readAt: number;
  usedAt: number;
}

/** The whole mount, among the names of folders. */
const WHOLE = "/";
const FILES_A_SLICE = 200;
/** In characters: to split one takes a while. */
const LONG = 50_000;
/** Written since the last search: then it is cheaper to read it again. */
const MOST_CHANGES = 20_000;
const DEFAULT_BYTES = 512 * 1024 * 1024;
/** Clocks of nodes differ, and a commit takes a while. */
const OVERLAP_MS = 60_000;

export class MemorySegments {
  readonly #store: Store;
  readonly #mostBytes: number;
  readonly #areas = new Map<string, Area>();
  #uses = 0;

  constructor(store: Store, mostBytes = DEFAULT_BYTES) {
    this.#store = store;
    this.#mostBytes = mostBytes;
  }

  /** What it costs a write: a lookup. */
  changed({ tenant, space, path, row }: MemoryChange): void {
    if (this.#areas.size === 0) return;
    const key = areaKey(tenant, space, mountOf(path));
    const area = this.#areas.get(key);
    if (area === undefined) return;
    area.changes.set(path, row);
    if (area.changes.size > MOST_CHANGES) this.#areas.delete(key); // MEMORY-SEGMENTS-3
  }

  /** `pending` is what the next commits will write; it is asked once reading begins. */
  async load(
    place: MemoryPlace,
    pending: () => ReadonlyMap<string, FileRow | null>,
  ): Promise<LoadedMemory> {
    const area = this.#areaOf(place);
    const folder = place.under === place.mount ? WHOLE : folderOf(area, `${place.under}/`);
    const known = area.loaded.get(WHOLE) ?? area.loaded.get(folder);
    if (known === undefined) {
      const loading = this.#read(area, place, folder, pending).catch((error: unknown) => {
        area.loaded.delete(folder);
        throw error;
      });
      area.loaded.set(folder, loading);
      await loading;
    } else {
      await known;
      if (this.#store.kind === "postgres") await this.#readChanges(area, place, folder);
    }
    this.#evict(area);
    return {
      tenant: place.tenant,
      current: () => {
        applyChanges(area);
        if (folder === WHOLE) return [...area.segments.values()];
        const segment = area.segments.get(folder);
        return segment === undefined ? [] : [segment];
      },
    };
  }

  #areaOf({ tenant, space, mount }: MemoryPlace): Area {
    const key = areaKey(tenant, space, mount);
    let area = this.#areas.get(key);
    if (area === undefined) {
      area = {
        tenant,
        mount,
        segments: new Map(),
        loaded: new Map(),
        ready: new Set(),
        changes: new Map(),
        readAt: 0,
        usedAt: 0,
      };
      this.#areas.set(key, area);
    }
    area.usedAt = ++this.#uses;
    return area;
  }

  async #read(
    area: Area,
    { tenant, space }: MemoryPlace,
    folder: string,
    pending: () => ReadonlyMap<string, FileRow | null>,
  ): Promise<void> {
    const under = folder === WHOLE ? area.mount : `${area.mount}/${folder}`;
    const before = pending();
    for (let after: string | undefined; ;) {
      const slice = await this.#store.files({ tenant, space, under, after, limit: FILES_A_SLICE });
      for (const row of slice) {
        put(area, row);
        if (row.data.length > LONG) await nextTurn();
      }
      if (slice.length < FILES_A_SLICE) break;
      after = slice.at(-1)!.path;
      await nextTurn();
    }
    for (const [path, row] of before) apply(area, path, row);
    area.ready.add(folder);
  }

  /** MEMORY-SEGMENTS-4. */
  async #readChanges(area: Area, { tenant, space }: MemoryPlace, folder: string): Promise<void> {
    const under = folder === WHOLE ? area.mount : `${area.mount}/${folder}`;
    const since = area.readAt - OVERLAP_MS;
    for (let after: string | undefined; ;) {
      const slice = await this.#store.files({
        tenant,
        space,
        under,
        after,
        since,
        limit: FILES_A_SLICE,
      });
      for (const row of slice)
        if (!area.changes.has(row.path) && !isSame(area, row)) put(area, row);
      if (slice.length < FILES_A_SLICE) return;
      after = slice.at(-1)!.path;
    }
  }

  /** MEMORY-SEGMENTS-3. The one in use stays, whatever its size. */
  #evict(used: Area): void {
    let bytes = 0;
    for (const area of this.#areas.values()) bytes += bytesOf(area);
    if (bytes <= this.#mostBytes) return;
    const share = this.#mostBytes / this.#areas.size;
    const others = [...this.#areas]
      .filter(([, area]) => area !== used)
      .map(([key, area]) => ({ key, bytes: bytesOf(area), usedAt: area.usedAt }));
    const isLarge = (one: { readonly bytes: number }): number => (one.bytes > share ? 0 : 1);
    others.sort((a, b) => isLarge(a) - isLarge(b) || a.usedAt - b.usedAt);
    for (const one of others) {
      // The rest is within its share: what is too large is the one in use.
      if (bytes <= this.#mostBytes || (one.bytes <= share && bytesOf(used) > share)) break;
      bytes -= one.bytes;
      this.#areas.delete(one.key);
    }
  }
}

function bytesOf({ segments }: Area): number {
  let bytes = 0;
  for (const segment of segments.values()) bytes += segment.bytes;
  return bytes;
}

const areaKey = (tenant: TenantKey, space: ProcessKey, mount: string): string =>
  `${tenant}:${space}:${mount}`;

/** Each part of a space of an agent is a mount (vfs/memory-location.ts). */
const mountOf = (path: string): string => path.split("/", isAgentMemory(path) ? 5 : 3).join("/");

/** MEMORY-SEGMENTS-1. */
function folderOf({ mount }: Pick<Area, "mount">, path: string): string {
  const below = path.slice(mount.length + 1);
  const end = below.indexOf("/");
  return end < 0 ? "" : below.slice(0, end);
}

/** MEMORY-SEGMENTS-2. */
function applyChanges(area: Area): void {
  for (const [path, row] of area.changes) {
    const folder = folderOf(area, path);
    if (area.ready.has(WHOLE) || area.ready.has(folder)) apply(area, path, row);
    // What is being read now may be older: the change counts once it is read to its end.
    else if (area.loaded.has(WHOLE) || area.loaded.has(folder)) continue;
    area.changes.delete(path);
  }
}

function apply(area: Area, path: string, row: FileRow | null): void {
  if (row === null) area.segments.get(folderOf(area, path))?.remove(path);
  else put(area, row);
}

function put(area: Area, row: FileRow): void {
  const { path, data, writtenAt, writer, label } = row;
  const folder = folderOf(area, path);
  let segment = area.segments.get(folder);
  if (segment === undefined) area.segments.set(folder, (segment = new IndexSegment()));
  const content = memoryContentOf(path, JSON.parse(data) as Json, dayOf(writtenAt));
  segment.put({ path, content, writtenAt, writer, label });
  area.readAt = Math.max(area.readAt, writtenAt);
}

function isSame(area: Area, { path, writtenAt, writer }: FileRow): boolean {
  const known = area.segments.get(folderOf(area, path))?.fileOf(path);
  return known !== undefined && known.writtenAt === writtenAt && known.writer === writer;
}
