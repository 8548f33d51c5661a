// Files: the virtual file system over the store. A write is readable at once, although it reaches the disk with the
// next commit: until then it is in the overlay.
//
// FILES-1  A path below /mem/working is the process's own; /mem/semantic and /mem/episodic are its agent's, and stored
//     below /mem/agents/SPACE; /mem/shared belongs to its tenant. Inside this class paths are stored ones: what is
//     returned has the spelling that was asked for.
// FILES-2  Episodic memory is append-only: what is there is neither changed nor removed.
// FILES-3  Operations that depend on existing content (FILES-2, appending) are serialised per path.
// FILES-4  A list reads no file data.

import { SysError, type Json, type Label, type Manifest } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import { join, labelText, readLabel } from "../label/label.ts";
import {
  MemorySearch,
  type MemoryMatch,
  type MemoryQuery,
  type ScopeFilter,
} from "../memory/memory-search.ts";
import { MemorySegments } from "../memory/memory-segments.ts";
import type { Store, Write } from "../store/contract.ts";
import type { FileQuery, FileUsage, ListedFile } from "../store/queries.ts";
import type { FileRow, ProcessKey, TenantKey } from "../store/rows.ts";
import {
  asked,
  isUnderMount,
  locate,
  locateFile,
  placeOf,
  storedBelow,
  unsearched,
  type MemoryLocation,
  type MemoryOwner,
} from "./memory-location.ts";
import type { MemoryQuota } from "./memory-quota.ts";
import { outsideScope, rowOfOutside, type OutsideFile } from "./outside-files.ts";

interface Owner extends MemoryOwner {
  readonly pid: string;
  /** What its manifest narrows; absent where nothing is written. */
  readonly manifest?: Pick<Manifest, "memory">;
}

export interface FilePage {
  /** The path that it goes on after. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

type Place = Pick<FileQuery, "tenant" | "space" | "under">;

const NAMES_A_SLICE = 1000;

/** Where a search looks, as it was asked for, and what of it it sees. */
export interface SearchedPath extends ScopeFilter {
  readonly path: string;
}

/** A file that a search found, and why. */
export interface FoundFile {
  readonly row: FileRow;
  readonly match: MemoryMatch;
  readonly searchedBy: "text" | "text and vectors";
}

/** Each part has an index of its own, which counts once. */
function mustBeApart(places: readonly MemoryLocation[]): void {
  const mounts = new Map<string, string>();
  for (const { asked: path, mount, isOfSpaces } of places) {
    if (isOfSpaces) throw unsearched(path);
    const other = mounts.get(mount);
    if (other !== undefined)
      throw new SysError("EINVAL", `search: ${other} and ${path} are in the same part of memory`);
    mounts.set(mount, path);
  }
}

/** The write, and what to do once it is appended. */
interface Change {
  readonly writes: readonly Write[];
  readonly after: () => void;
}

/** As the stores sort: by bytes. */
const inOrder = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

const listed = ({ data, ...row }: FileRow): ListedFile => ({
  ...row,
  bytes: Buffer.byteLength(data),
});

const usageOf = (row: FileRow | null): FileUsage =>
  row === null
    ? { files: 0, bytes: 0 }
    : { files: 1, bytes: Buffer.byteLength(row.path) + Buffer.byteLength(row.data) };

export class Files {
  readonly #journal: Journal<Store>;
  readonly #memory: MemorySearch;
  /** What the next commits will write: a row, or null for one that goes. */
  readonly #overlay = new Map<string, { readonly row: FileRow | null; readonly path: string }>();
  /** By place: settled when the last change begun there is (FILES-3). */
  readonly #changing = new Map<string, Promise<void>>();

  readonly #quota: MemoryQuota | undefined;

  constructor(
    journal: Journal<Store>,
    memory = new MemorySearch(new MemorySegments(journal.store)),
    quota?: MemoryQuota,
  ) {
    this.#journal = journal;
    this.#memory = memory;
    this.#quota = quota;
  }

  /** The file as it is there, if it is; nothing where there could be none. */
  async peek(owner: Owner, path: string): Promise<FileRow | undefined> {
    const at = locate(owner, path);
    return at === undefined ? undefined : this.#find(at);
  }

  async read(owner: Owner, path: string): Promise<FileRow> {
    const row = await this.#find(locateFile(owner, path));
    if (row === undefined) throw new SysError("ENOENT", `there is no file ${path}`);
    return row;
  }

  async #find({ tenant, space, path }: MemoryLocation): Promise<FileRow | undefined> {
    const pending = this.#overlay.get(place(tenant, space, path));
    if (pending !== undefined) return pending.row ?? undefined;
    return this.#journal.store.file(tenant, space, path);
  }

  /** What puts a file there, for the transaction of the record that says so. */
  async put(owner: Owner, path: string, data: string, label: Label, atMs: number): Promise<Change> {
    const at = locateFile(owner, path);
    if (at.space !== 0) return this.#change(owner, at, data, label, atMs);
    return this.#alone(at, async () => {
      if (!at.isAppendOnly || (await this.#find(at)) === undefined)
        return this.#charged(owner, at, this.#change(owner, at, data, label, atMs), atMs);
      throw new SysError(
        "EEXIST",
        `${path} already exists, and append-only memory cannot be overwritten`,
        {
          hint: "use a new name",
        },
      );
    });
  }

  /** What adds text to the end of a file that is text, or is not there yet. */
  async append(
    owner: Owner,
    path: string,
    text: string,
    label: Label,
    atMs: number,
  ): Promise<Change> {
    const at = locateFile(owner, path);
    if (at.isAppendOnly)
      throw new SysError("EINVAL", "a file of append-only memory is written whole, and once");
    return this.#alone(at, async () => {
      const before = await this.#find(at);
      const known = before === undefined ? "" : dataOf(before);
      if (typeof known !== "string") throw new SysError("EINVAL", `${path} is not text`);
      const both = before === undefined ? label : join(label, readLabel(before.label));
      const change = this.#change(owner, at, JSON.stringify(known + text), both, atMs);
      return at.space === 0 ? this.#charged(owner, at, change, atMs) : change;
    });
  }

  /** The same change, within the quota of what outlives processes; alone at its path (memory-quota.ts). */
  async #charged(owner: Owner, at: MemoryLocation, change: Change, atMs: number): Promise<Change> {
    if (this.#quota === undefined) return change;
    const [write] = change.writes;
    const after = write?.op === "file.put" ? usageOf(write.row) : usageOf(null);
    const pending = this.#overlay.get(place(at.tenant, at.space, at.path));
    const before =
      pending === undefined
        ? await this.#journal.store.fileSize(at.tenant, at.space, at.path)
        : usageOf(pending.row);
    const { maxBytes, maxFiles } = owner.manifest?.memory ?? {};
    const own = { space: owner.row.spec.memorySpace, maxBytes, maxFiles };
    const held = await this.#quota.reserve({ at, before, after, atMs, own });
    setImmediate(() => held.giveBack()); // FILES-3: settled by then, or given up
    return {
      writes: change.writes,
      after: () => {
        held.settle();
        change.after();
      },
    };
  }

  #change(owner: Owner, at: MemoryLocation, data: string, label: Label, atMs: number): Change {
    const { tenant, space, path } = at;
    if (path === at.mount) throw new SysError("EINVAL", `${at.asked} is a folder`);
    const row: FileRow = {
      tenant,
      space,
      path,
      data,
      writer: owner.pid,
      label: labelText(label),
      writtenAt: atMs,
    };
    return { writes: [{ op: "file.put", row }], after: () => this.#expect(at, row) };
  }

  async remove(owner: Owner, path: string, atMs: number): Promise<Change> {
    const at = locateFile(owner, path);
    if (at.isAppendOnly)
      throw new SysError("EINVAL", "files of append-only memory cannot be removed");
    const { tenant, space, path: stored } = at;
    const write: Write = { op: "file.remove", tenant, space, path: stored };
    const change = { writes: [write], after: () => this.#expect(at, null) };
    const remove = async (): Promise<Change> => {
      await this.read(owner, path);
      return space === 0 ? this.#charged(owner, at, change, atMs) : change;
    };
    return space === 0 ? this.#alone(at, remove) : remove();
  }

  /** What is below a path, by path, all of it or a page; without what is in the files. */
  async below(owner: Owner, path: string, page: FilePage = {}): Promise<ListedFile[]> {
    const { limit = Infinity } = page;
    const at = locateFile(owner, path);
    const after = page.after === undefined ? undefined : storedBelow(at, page.after);
    const place = placeOf(at);
    const pending = this.#pendingBelow(place);
    const found = [...pending.values()].flatMap((row) =>
      row === null || inOrder(row.path, after ?? "") <= 0 ? [] : [listed(row)],
    );
    let stored = 0;
    for await (const slice of this.#slices(place, { after, size: NAMES_A_SLICE })) {
      const rows = slice.filter((row) => !pending.has(row.path));
      found.push(...rows);
      stored += rows.length;
      if (stored >= limit) break;
    }
    const sorted = found.sort((a, b) => inOrder(a.path, b.path)).slice(0, limit);
    return at.path === path ? sorted : sorted.map((row) => shown(at, row));
  }

  /** What fits the query best below some paths, as it is now, and among what mounts found. */
  async search(
    owner: Owner,
    below: readonly SearchedPath[],
    query: MemoryQuery,
    outside: readonly OutsideFile[] = [],
  ): Promise<FoundFile[]> {
    const others = new Map(
      outside.map((one) => [one.path, rowOfOutside(one, owner.tenant, query.nowMs)]),
    );
    const parts = below.map(({ path, ...filter }) => ({ ...filter, at: locateFile(owner, path) }));
    mustBeApart(parts.map(({ at }) => at));
    const { found, searchedBy } = await this.#memory.find(
      parts.map(({ at, label, mayRead }) => {
        const place = placeOf(at);
        return {
          place: { ...place, mount: at.mount },
          label,
          mayRead: mayRead === undefined ? undefined : (stored) => mayRead(asked(at, stored)),
          pending: () => this.#pendingBelow({ ...place, under: at.mount }),
        };
      }),
      query,
      outsideScope(owner.tenant, outside, others),
    );
    const places = found.map(
      ({ path }) => parts.find(({ at }) => isUnderMount(path, at.mount))?.at,
    );
    const rows = await Promise.all(
      found.map(async ({ path }, index) => {
        const at = places[index];
        return at === undefined || others.has(path)
          ? others.get(path)
          : this.#find({ ...at, path });
      }),
    );
    return found.flatMap((match, index) => {
      const row = rows[index];
      const at = places[index];
      if (row !== undefined && (at === undefined || others.has(match.path)))
        return [{ row, match, searchedBy }];
      if (at === undefined) return [];
      if (row !== undefined) {
        return [{ row: shown(at, row), match: shownMatch(at, match), searchedBy }];
      }
      this.#memory.changed({ ...placeOf(at), path: match.path, row: null }); // another node removed it
      return [];
    });
  }

  /** What the next commits will put below a path, or take away. */
  #pendingBelow({ tenant, space, under }: Place): Map<string, FileRow | null> {
    const pending = new Map<string, FileRow | null>();
    for (const [key, { path, row }] of this.#overlay)
      if (isUnderMount(path, under) && key === place(tenant, space, path)) pending.set(path, row);
    return pending;
  }

  async *#slices(
    place: Place,
    { after, size }: { after?: string | undefined; size: number },
  ): AsyncGenerator<ListedFile[]> {
    const { store } = this.#journal;
    for (let last = after; ;) {
      const slice = await store.fileNames({ ...place, after: last, limit: size });
      yield slice;
      if (slice.length < size) return;
      last = slice.at(-1)!.path;
    }
  }

  /** FILES-3. A call is settled, or given up, in the turn in which it is answered: then the next may begin. */
  async #alone(at: MemoryLocation, change: () => Promise<Change>): Promise<Change> {
    const key = place(at.tenant, at.space, at.path);
    const before = this.#changing.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#changing.set(key, promise);
    await before;
    try {
      return await change();
    } finally {
      setImmediate(() => {
        if (this.#changing.get(key) === promise) this.#changing.delete(key);
        resolve();
      });
    }
  }

  /** Only once the record is appended: the overlay goes with the commit that has it. */
  #expect({ tenant, space, path }: MemoryLocation, row: FileRow | null): void {
    const key = place(tenant, space, path);
    const pending = { row, path };
    this.#memory.changed({ tenant, space, path, row });
    this.#overlay.set(key, pending);
    this.#journal.afterCommit(() => {
      if (this.#overlay.get(key) === pending) this.#overlay.delete(key);
    });
  }
}

const place = (tenant: TenantKey, space: ProcessKey, path: string): string =>
  `${tenant}:${space}:${path}`;

const shown = <One extends { readonly path: string }>(at: MemoryLocation, one: One): One =>
  at.asked === at.path ? one : { ...one, path: asked(at, one.path) };

function shownMatch(at: MemoryLocation, match: MemoryMatch): MemoryMatch {
  if (at.asked === at.path) return match;
  const { contradicts, replacedBy, ...rest } = shown(at, match);
  return {
    ...rest,
    ...(contradicts === undefined ? {} : { contradicts: contradicts.map((one) => shown(at, one)) }),
    ...(replacedBy === undefined ? {} : { replacedBy: shown(at, replacedBy) }),
  };
}

export const dataOf = (row: FileRow): Json => JSON.parse(row.data) as Json;
