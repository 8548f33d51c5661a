// Backup format: the header of a backup, which is readable before the backup is opened.

import { SysError } from "@aos/protocol";
import type { ArchivedFile } from "./archive.ts";
import { readHeader } from "./sealed-file.ts";

export const BACKUP_MAGIC = "agent-os backup";
export const BACKUP_FORMAT = 1;

export interface BackupHeader {
  readonly format: number;
  readonly version: string;
  readonly schema: number;
  readonly createdAt: string;
}

/** Refuses what this release cannot read: a newer format, or a newer schema. */
export async function readBackupHeader(file: string, knownSchema: number): Promise<BackupHeader> {
  const { header } = await readHeader(file, BACKUP_MAGIC);
  const about = header as unknown as BackupHeader;
  if (about.format !== BACKUP_FORMAT)
    throw new SysError(
      "EINVAL",
      `${file} has format ${about.format}, and this release reads ${BACKUP_FORMAT}`,
      { hint: `use Agent OS ${about.version}, which made it` },
    );
  if (about.schema > knownSchema)
    throw new SysError(
      "EINVAL",
      `${file} has schema ${about.schema}, and this release knows schemas up to ${knownSchema}`,
      { hint: `a newer release made it: use Agent OS ${about.version}` },
    );
  return about;
}

/** What the key of the signed log signs of a backup: all that its manifest says. */
export const signedText = (manifest: object, files: readonly ArchivedFile[]): string =>
  JSON.stringify({ ...manifest, files });
