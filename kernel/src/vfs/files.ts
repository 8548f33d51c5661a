// Files: the virtual file system over the store. What was written is read again at once, although it
// reaches the disk with the next commit: until then the overlay has it.
//
// F1  A path below /mem/working is the process's own; the others belong to its tenant.
// F2  /mem/episodic is append-only: what is there is neither changed nor removed.

import { SysError, type Json, type Label } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import { labelText } from "../label/label.ts";
import type { Write } from "../store/contract.ts";
import type { FileRow, ProcessKey, TenantKey } from "../store/rows.ts";

interface Owner {
  readonly key: ProcessKey;
  readonly tenant: TenantKey;
  readonly pid: string;
}

/** The write, and what to do once it is appended. */
interface Change {
  readonly writes: readonly Write[];
  readonly after: () => void;
}

const MOUNTS = ["/mem/working", "/mem/episodic", "/mem/semantic", "/mem/shared"] as const;

const isBelow = (path: string, mount: string) => path === mount || path.startsWith(`${mount}/`);

/** Refuses what is not a plain absolute path. */
export function plainPath(path: string): string {
  const parts = path.split("/").slice(1);
  const odd = parts.some((part) => part === "" || part === "." || part === "..");
  // oxlint-disable-next-line no-control-regex
  if (
    !path.startsWith("/") ||
    odd ||
    /[\u0000-\u001f\u007f]/.test(path) ||
    path !== path.normalize("NFC")
  ) {
    throw new SysError("EINVAL", `not a plain absolute path: ${JSON.stringify(path)}`);
  }
  return path;
}

function mountOf(path: string): (typeof MOUNTS)[number] {
  const mount = MOUNTS.find((mount) => isBelow(path, mount));
  if (mount === undefined) {
    throw new SysError("ENOENT", `nothing is mounted at ${path}`, {
      hint: `there are: ${MOUNTS.join(", ")}, /self`,
    });
  }
  return mount;
}

const spaceOf = (owner: Owner, path: string): ProcessKey =>
  mountOf(path) === "/mem/working" ? owner.key : 0;

export class Files {
  readonly #journal: Journal;
  /** What the next commits will write: a row, or null for one that goes. */
  readonly #overlay = new Map<string, { readonly row: FileRow | null; readonly path: string }>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async read(owner: Owner, path: string): Promise<FileRow> {
    const space = spaceOf(owner, path);
    const pending = this.#overlay.get(place(owner.tenant, space, path));
    const row =
      pending === undefined
        ? await this.#journal.store.file(owner.tenant, space, path)
        : pending.row;
    if (row === null || row === undefined) throw new SysError("ENOENT", `there is no file ${path}`);
    return row;
  }

  /** What puts a file there, for the transaction of the record that says so. */
  async put(owner: Owner, path: string, data: string, label: Label, atMs: number): Promise<Change> {
    const mount = mountOf(path);
    if (path === mount) throw new SysError("EINVAL", `${path} is a folder`);
    if (mount === "/mem/episodic" && (await this.#exists(owner, path))) {
      throw new SysError("EEXIST", `${path} is written already, and experience is not rewritten`, {
        hint: "use a new name",
      });
    }
    const space = spaceOf(owner, path);
    const row: FileRow = {
      tenant: owner.tenant,
      space,
      path,
      data,
      writer: owner.pid,
      label: labelText(label),
      writtenAt: atMs,
    };
    const after = () => this.#expect(place(owner.tenant, space, path), path, row);
    return { writes: [{ op: "file.put", row }], after };
  }

  async remove(owner: Owner, path: string): Promise<Change> {
    if (mountOf(path) === "/mem/episodic")
      throw new SysError("EINVAL", "experience is not removed");
    await this.read(owner, path);
    const space = spaceOf(owner, path);
    const after = () => this.#expect(place(owner.tenant, space, path), path, null);
    return { writes: [{ op: "file.remove", tenant: owner.tenant, space, path }], after };
  }

  async below(owner: Owner, path: string): Promise<FileRow[]> {
    const space = spaceOf(owner, path);
    const rows = new Map(
      (await this.#journal.store.files(owner.tenant, space, path)).map((row) => [row.path, row]),
    );
    for (const [key, pending] of this.#overlay) {
      if (!isBelow(pending.path, path) || key !== place(owner.tenant, space, pending.path))
        continue;
      if (pending.row === null) rows.delete(pending.path);
      else rows.set(pending.path, pending.row);
    }
    return [...rows.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async search(
    owner: Owner,
    path: string,
    query: string,
    limit: number,
  ): Promise<{ row: FileRow; score: number }[]> {
    const words = wordsOf(query);
    const scored = (await this.below(owner, path)).map((row) => ({
      row,
      score: overlap(words, wordsOf(row.data)),
    }));
    return scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (a.row.path < b.row.path ? -1 : 1))
      .slice(0, limit);
  }

  async #exists(owner: Owner, path: string): Promise<boolean> {
    return this.read(owner, path).then(
      () => true,
      () => false,
    );
  }

  /** Only once the record is appended: the overlay goes with the commit that has it. */
  #expect(key: string, path: string, row: FileRow | null): void {
    const pending = { row, path };
    this.#overlay.set(key, pending);
    this.#journal.afterCommit(() => {
      if (this.#overlay.get(key) === pending) this.#overlay.delete(key);
    });
  }
}

const place = (tenant: TenantKey, space: ProcessKey, path: string): string =>
  `${tenant}:${space}:${path}`;

const wordsOf = (text: string): Set<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** The part of the words asked for that are there. */
function overlap(asked: Set<string>, there: Set<string>): number {
  let hits = 0;
  for (const word of asked) if (there.has(word)) hits++;
  return asked.size === 0 ? 0 : hits / asked.size;
}

export const dataOf = (row: FileRow): Json => JSON.parse(row.data) as Json;
