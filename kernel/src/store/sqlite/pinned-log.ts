// Pinned log: a database file that stays as it is while a backup reads it. What is committed meanwhile is in its log.

import { SysError } from "@aos/protocol/failures";
import { CHECKPOINT_PAGES, type SqliteConnection } from "./connection.ts";
import { endOfLog, readLogTail } from "./log-end.ts";

export function pinnedLog(
  { db, name }: SqliteConnection,
  shrink: (isWhole?: boolean) => Promise<void>,
) {
  let isPinned = false;
  return {
    /** The log is empty then: whatever is committed from now on is all that it has. */
    async pin(): Promise<{ fileBytes: number }> {
      const { busy } = db.prepare("pragma wal_checkpoint(truncate)").get()!;
      if (busy !== 0) throw new SysError("EAGAIN", `${name} is busy`, { retryAfter: 1000 });
      db.exec("pragma wal_autocheckpoint = 0");
      isPinned = true;
      const size = (pragma: string) => Number(Object.values(db.prepare(pragma).get()!)[0]);
      return { fileBytes: size("pragma page_count") * size("pragma page_size") };
    },
    async unpin(): Promise<void> {
      isPinned = false;
      db.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    },
    /** Up to the last commit. */
    logEnd: async (file: string, after: number): Promise<number> => endOfLog(`${file}-wal`, after),
    logTail: async (file: string, after: number): Promise<Uint8Array> =>
      readLogTail(`${file}-wal`, after),
    /** Moves what is in the log to the file, as far as nobody reads it. */
    async checkpoint(): Promise<void> {
      if (!isPinned) db.exec("pragma wal_checkpoint(passive)");
    },
    async shrink(isWhole?: boolean): Promise<void> {
      if (!isPinned) await shrink(isWhole);
      else if (isWhole === true)
        throw new SysError("EAGAIN", `a backup reads ${name}`, { retryAfter: 5000 });
    },
    /** The thread does it (thread.ts): a store in memory has no file. */
    async backUp(): Promise<never> {
      throw new SysError("ESTATE", `${name} has no file to back up`);
    },
  };
}
