// File digest: identifies the content of a file by its bytes; a file that is too large by its size, inode and change
// time, which no program can set.

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import type { NamedFile } from "@aos/protocol";

const MAX_BYTES = 64 * 1024 * 1024;

export async function fileDigest(path: string): Promise<Pick<NamedFile, "digest" | "bytes">> {
  try {
    // A pipe that was put in its place is not waited for, and a link is not followed.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
    await using file = await open(path, flags);
    const stats = await file.stat({ bigint: true });
    const bytes = Number(stats.size);
    if (!stats.isFile()) return { digest: "none", bytes: 0 };
    if (bytes > MAX_BYTES)
      return { digest: `ctime:${stats.dev}.${stats.ino}.${stats.ctimeNs}`, bytes };
    const hash = createHash("sha256");
    for await (const chunk of file.createReadStream({ autoClose: false }))
      hash.update(chunk as Buffer);
    return { digest: `sha256:${hash.digest("hex")}`, bytes };
  } catch {
    const stats = await lstat(path, { bigint: true }).catch(() => undefined);
    return stats === undefined
      ? { digest: "none", bytes: 0 }
      : { digest: `ctime:${stats.dev}.${stats.ino}.${stats.ctimeNs}`, bytes: Number(stats.size) };
  }
}
