// FileLock: one store for a database file, and files that are their owner's alone.
//
// FILE-LOCK-4  A file is its owner's from the moment it is there, whatever the umask is; SQLite gives the
//     log beside it the same mode.
//
// The database is locked by its own connections; but those of one process share that lock, and a second store in
// the same process would share it as well. So there is a lock beside it, `NAME-lock`: an exclusive transaction
// that is never written, which the operating system lets go of in the moment its holder is gone, however it died.

import { DatabaseSync } from "node:sqlite";

export interface FileLock {
  release(): void;
}

/** How long another may take to let go of it. */
const WAIT_MS = 500;

/** Throws as SQLite does where another has it: the database is locked. */
export function lockFile(file: string): FileLock | undefined {
  if (!isOnDisk(file)) return undefined;
  createEmptyPrivateFile(`${file}-lock`);
  const lock = new DatabaseSync(`${file}-lock`, { timeout: WAIT_MS });
  try {
    lock.exec("pragma journal_mode = memory; begin exclusive");
  } catch (error) {
    lock.close();
    throw error;
  }
  return { release: () => lock.close() };
}

/** FILE-LOCK-4. Empty, where there is none. What stands against it SQLite says in its own words. */
export function createEmptyPrivateFile(file: string): void {
  if (!isOnDisk(file)) return;
  try {
    const { closeSync, openSync } = process.getBuiltinModule("node:fs"); // see log-end.ts
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // It is there already, or cannot be.
  }
}

export const isOnDisk = (file: string): boolean => file !== ":memory:" && !file.startsWith("file:");
