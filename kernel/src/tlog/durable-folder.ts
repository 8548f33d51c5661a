// A folder whose files survive a crash at any moment.
//
//   write(path, bytes)   the new file whole, or the old one, or none; never half a file
//   sync()               everything written before survives a power failure
//   read(path)           the bytes, or undefined if there is no such file
//
// Paths are relative to the folder. Only one process may write at a time.
//
// DURABLE-FOLDER-1  A file's bytes are on disk before its name is.
// DURABLE-FOLDER-2  After sync() every name written before it is on disk, up to the folder itself.

import { mkdir, open, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

export interface FolderStep {
  readonly act: "write" | "rename" | "sync" | "remove";
  readonly path: string;
}

// Enough to let the file system join many fsyncs into one commit.
const WRITES_AT_ONCE = 16;

export class DurableFolder {
  readonly root: string;
  readonly #before: (step: FolderStep) => void;
  readonly #unsynced = new Set<string>();

  // `before` hears of each change just before it is made. A crash test throws from it.
  constructor(root: string, before: (step: FolderStep) => void = () => {}) {
    this.root = root;
    this.#before = before;
  }

  async read(path: string): Promise<Buffer | undefined> {
    return await readFile(join(this.root, path)).catch(undefinedIfAbsent);
  }

  async has(path: string): Promise<boolean> {
    return (await stat(join(this.root, path)).catch(undefinedIfAbsent)) !== undefined;
  }

  async list(path: string): Promise<string[]> {
    return (await readdir(join(this.root, path)).catch(undefinedIfAbsent)) ?? [];
  }

  async create(): Promise<void> {
    const created = await mkdir(this.root, { recursive: true, mode: 0o700 });
    if (created !== undefined) await syncFolder(dirname(this.root));
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    const draft = `${path}.tmp`;
    await mkdir(join(this.root, dirname(path)), { recursive: true, mode: 0o700 });
    this.#before({ act: "write", path: draft });
    const file = await open(join(this.root, draft), "w", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    this.#before({ act: "rename", path });
    await rename(join(this.root, draft), join(this.root, path));
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      this.#unsynced.add(folder);
      if (folder === ".") return;
    }
  }

  async writeAll(files: readonly { path: string; bytes: Uint8Array }[]): Promise<void> {
    for (let first = 0; first < files.length; first += WRITES_AT_ONCE) {
      const some = files.slice(first, first + WRITES_AT_ONCE);
      const written = await Promise.allSettled(
        some.map(({ path, bytes }) => this.write(path, bytes)),
      );
      for (const result of written) if (result.status === "rejected") throw result.reason;
    }
  }

  async sync(): Promise<void> {
    for (const folder of this.#unsynced) {
      this.#before({ act: "sync", path: folder });
      await syncFolder(join(this.root, folder));
      this.#unsynced.delete(folder);
    }
  }

  async remove(path: string): Promise<void> {
    this.#before({ act: "remove", path });
    await rm(join(this.root, path), { recursive: true, force: true });
    this.#unsynced.delete(path);
  }
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw error;
}
