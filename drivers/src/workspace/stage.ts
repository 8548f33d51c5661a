// Stage: copies the bytes of files into the folder of a commit, where only the daemon can change them.
//
// STAGE-1  A file that changes while it is copied is copied again, and finally refused: a committed version really
//     existed.

import { SysError } from "@aos/protocol";
import { copyBytes } from "./copy-bytes.ts";
import { type Folder, noneIfMissing } from "./folder.ts";
import { formatBytes } from "./format.ts";
import { PLAIN_BITS, inspectPath } from "./path-state.ts";
import { ABSENT, inFolderOf, type State, stateIn } from "./state.ts";

const TRIES = 3;

/** How many bytes may still be kept; counted down. */
export interface ByteAllowance {
  bytes: number;
}

/** The state at a path of `top`; of a file with its bytes kept under the name of the blob. */
export async function stage(
  top: Folder,
  path: string,
  blobs: Folder,
  blob: string,
  room: ByteAllowance,
): Promise<State> {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const state = await inFolderOf(top, path, async (folder, name) => {
      const seen = await inspectPath(folder, name);
      return seen?.kind === "file"
        ? keep(folder, name, path, blobs, blob, room)
        : stateIn(folder, name);
    }).catch(goneIfMissing);
    if (state !== "changed") return state ?? ABSENT;
    await blobs.removeFile(blob).catch(noneIfMissing);
  }
  throw new SysError("ESTATE", `${path} changes while it is read`, {
    hint: "wait until the process has ended, or pause it",
  });
}

async function keep(
  folder: Folder,
  name: string,
  path: string,
  blobs: Folder,
  blob: string,
  room: ByteAllowance,
): Promise<State | "changed"> {
  await using file = await folder.openFile(name);
  const before = await file.stat({ bigint: true });
  if (before.size > room.bytes)
    throw new SysError(
      "EINVAL",
      `${path} has ${formatBytes(Number(before.size))}, which is above the limit`,
      {
        hint: "remove unneeded files from the workspace, or raise the limit",
      },
    );
  room.bytes -= Number(before.size);
  await using kept = await blobs.createFile(blob);
  const { size, hash } = await copyBytes(file, kept, Number(before.size));
  await kept.sync();
  const after = await file.stat({ bigint: true });
  if (after.size !== BigInt(size) || after.ctimeNs !== before.ctimeNs) {
    room.bytes += Number(before.size);
    return "changed";
  }
  const mode = Number(after.mode) & PLAIN_BITS;
  const owned = { uid: Number(after.uid), gid: Number(after.gid) };
  return { kind: "file", mode, size, hash, mtimeNs: String(after.mtimeNs), blob, ...owned };
}

/** Between the look at it and the opening it went away, or became another thing. */
function goneIfMissing(error: NodeJS.ErrnoException): "changed" {
  if (error.code === "ENOENT" || error.code === "ELOOP" || error.code === "EEXIST")
    return "changed";
  throw error;
}
