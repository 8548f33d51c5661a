// What people are told of memory: the virtual files below /mem.

import type { Json } from "./json.ts";
import type { ProcessId } from "./ids.ts";

export interface MemoryFile {
  readonly path: string;
  /** The process that wrote it last. */
  readonly writer: string;
  /** Where it comes from: `trusted/public`. */
  readonly label: string;
  /** ISO 8601. */
  readonly writtenAt: string;
  readonly bytes: number;
}

/** What a process has at a path, and below it. */
export interface MemoryReport {
  readonly pid: ProcessId;
  readonly path: string;
  /** Null where there is none at the path itself. */
  readonly file: (MemoryFile & { readonly data: Json }) | null;
  readonly files: readonly MemoryFile[];
  /** Where there are more: what the next page comes `after`. */
  readonly next: string | null;
}

/** Which of the files below a path. */
export interface MemoryPage {
  /** The path that the page goes on after. */
  readonly after?: string | undefined;
  /** 1000 unless said. */
  readonly limit?: number | undefined;
}

/** What a search of the memory that a tenant's processes share has found, the best first. */
export interface MemorySearchReport {
  readonly found: readonly {
    readonly path: string;
    readonly data: Json;
    /** The part of the words that are there: 1 for all of them. */
    readonly score: number;
    /** Null where it is gone since. */
    readonly writer: string | null;
  }[];
  /** Whose memory it was. */
  readonly tenant: string;
  /** The process that searched. */
  readonly pid: string;
}

/** Who can be asked what a process has in memory. */
export interface MemoryReader {
  /** The file that it has at a path of /mem, and those below; whether it runs, or has ended. */
  memory(pid: string, path: string, page?: MemoryPage): Promise<MemoryReport>;
}
