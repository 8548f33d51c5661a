// The version of a foreign program: a digest of its command and the files that it names, so that a journal identifies
// the program that wrote it.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ProgramConfinement } from "@aos/protocol";
import { isSeenBelow } from "./program-view.ts";

export async function programVersion(
  command: readonly string[],
  folder?: string,
  confinement?: ProgramConfinement,
): Promise<string> {
  const digest = createHash("sha256");
  for (const word of command) {
    digest.update(`${word}\0`);
    const path = resolve(folder ?? ".", word);
    if (!isSeenBelow(confinement, folder, path)) continue;
    const isFile = await stat(path).then(
      (file) => file.isFile(),
      () => false,
    );
    if (isFile) for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  }
  return `sha256:${digest.digest("hex").slice(0, 16)}`;
}
