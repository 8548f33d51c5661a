// File history: what the kernel says of the versions of a file.

import type { FileVersionReport, FileVersions } from "./operations/file.ts";

/** Whose files: those of a process, or those that a tenant's processes share. */
export interface FileScope {
  readonly pid?: string | undefined;
  readonly tenant?: string | undefined;
}

/** Which of the versions of a file. */
export interface VersionPage {
  /** `next` of the page before. */
  readonly after?: string | undefined;
  /** 50 unless said. */
  readonly limit?: number | undefined;
}

export interface FileHistory {
  /** What was written to a file of memory, the newest first: of a tenant, or as a process sees it. */
  fileVersions(of: FileScope, path: string, page?: VersionPage): Promise<FileVersions>;
  /** What the file held after that write. */
  fileVersion(of: FileScope, path: string, version: string): Promise<FileVersionReport>;
}
