// IntentLog: the external effects that were begun, in a file outside the database. It reveals effects that a database
// which lost its last commits no longer has.
//
//   note(intents)        written when it returns; must be called before the effects begin
//   accepted(pid, seq)   voids what was noted of a process after this record
//   read()               the valid notes by process
//
// INTENT-LOG-1  Only intents with a durable commit are noted: a crash never leaves a note that the store does not
//     have.
// INTENT-LOG-2  A line is one write at the end of the file. The file is synced when a head is signed, not here: it
//     guards against a damaged database, and a power failure loses no commit.
// INTENT-LOG-3  It is bounded: the older half goes when it is full.

import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";

const MAX_BYTES = 4 * 1024 * 1024;

export interface LoggedIntent {
  readonly pid: string;
  /** The first process of its tree. */
  readonly root: string;
  readonly seq: number;
}

interface Line extends Partial<LoggedIntent> {
  readonly pid: string;
  readonly accepted?: number;
}

export class IntentLog {
  readonly #file: string;
  #fd: number;
  #bytes: number;
  #isSynced = true;

  constructor(file: string) {
    this.#file = file;
    this.#fd = openSync(file, "a", 0o600);
    this.#bytes = statSync(file).size;
    if (this.#bytes > 0 && !readFileSync(file, "latin1").endsWith("\n")) this.#append("\n");
  }

  note(intents: readonly LoggedIntent[]): void {
    this.#write(intents.map(({ pid, root, seq }) => ({ pid, root, seq })));
  }

  accepted(pid: string, seq: number): void {
    this.#write([{ pid, accepted: seq }]);
    this.sync();
  }

  read(): Map<string, LoggedIntent[]> {
    const noted = new Map<string, LoggedIntent[]>();
    for (const file of [`${this.#file}.old`, this.#file]) {
      for (const line of linesOf(file)) {
        const { pid, root, seq, accepted } = line;
        if (accepted !== undefined) {
          noted.set(
            pid,
            (noted.get(pid) ?? []).filter((intent) => intent.seq <= accepted),
          );
        } else if (root !== undefined && seq !== undefined) {
          const known = noted.get(pid);
          if (known === undefined) noted.set(pid, [{ pid, root, seq }]);
          else known.push({ pid, root, seq });
        }
      }
    }
    return noted;
  }

  sync(): void {
    if (this.#isSynced) return;
    fsyncSync(this.#fd);
    this.#isSynced = true;
  }

  close(): void {
    try {
      this.sync();
    } finally {
      closeSync(this.#fd);
    }
  }

  /** INTENT-LOG-2. */
  #write(lines: readonly Line[]): void {
    if (this.#bytes > MAX_BYTES) this.#turnOver();
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    this.#append(text);
  }

  /** A disk that is nearly full may take a part of it: that is a failure, too. */
  #append(text: string): void {
    const bytes = Buffer.from(text);
    const written = writeSync(this.#fd, bytes);
    this.#bytes += written;
    this.#isSynced = false;
    if (written < bytes.length) throw new Error(`no space left on device for ${this.#file}`);
  }

  /** INTENT-LOG-3. */
  #turnOver(): void {
    fsyncSync(this.#fd);
    closeSync(this.#fd);
    renameSync(this.#file, `${this.#file}.old`);
    this.#fd = openSync(this.#file, "a", 0o600);
    this.#bytes = 0;
  }
}

/** A line that a crash cut off is none. */
function linesOf(file: string): Line[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").flatMap((line) => {
    try {
      const read = JSON.parse(line) as Line | null;
      return typeof read?.pid === "string" ? [read] : [];
    } catch {
      return [];
    }
  });
}
