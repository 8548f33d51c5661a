// Unpack: the files of a backup, into a folder that was empty before.
//
// UNPACK-1  Every file is created (`wx`) below the folder, in folders that are created here: nothing in it can lead
//     anywhere else.
// UNPACK-2  Free space is checked first. If the disk is full all the same, the error says so and nothing is left.

import { mkdir, open, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SysError } from "@aos/protocol";
import { readArchive, type ArchiveEntry, type EntrySink } from "./archive.ts";
import { BACKUP_MAGIC } from "./backup-format.ts";
import { openSealed } from "./sealed-file.ts";

const IN_HOME = "home/";

export async function unpackBackup(
  file: string,
  passphrase: string,
  into: string,
  onProgress: (bytes: number) => void,
): Promise<Readonly<Record<string, unknown>>> {
  let bytes = 0;
  const sinkOf = async ({ name, mode, isFolder }: ArchiveEntry): Promise<EntrySink> => {
    if (!name.startsWith(IN_HOME))
      throw new SysError("EINVAL", `${file} has an entry that is not known: ${name}`);
    const path = join(into, name.slice(IN_HOME.length));
    if (isFolder === true) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      return { write: async () => {}, end: async () => {} };
    }
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const out = await open(path, "wx", mode & 0o700);
    return {
      async write(piece) {
        try {
          await out.writeFile(piece);
        } catch (error) {
          await out.close();
          throw error;
        }
        bytes += piece.length;
        onProgress(bytes);
      },
      async end() {
        await out.sync();
        await out.close();
      },
    };
  };
  try {
    return await readArchive(openSealed(file, BACKUP_MAGIC, passphrase), sinkOf);
  } catch (error) {
    throw error instanceof SysError ? error : await asFailure(error, into);
  }
}

/** UNPACK-2. */
async function asFailure(error: unknown, into: string): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    const { bavail, bsize } = await statfs(dirname(into));
    return new SysError("ESTORE", `there is no space left for ${into} (${code})`, {
      hint: `${Math.floor((bavail * bsize) / 1024 / 1024)} MB are free there; nothing was restored`,
    });
  }
  if (code === undefined) return error;
  return new SysError("ESTORE", `${into} cannot be written (${code})`, {
    hint: "nothing was restored",
  });
}
