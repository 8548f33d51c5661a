// Outside hint: advice for a program whose script is outside the manifest's folder, where only the script itself is
// visible (program-view.ts).

import { existsSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

const MISSES =
  /No module named|Cannot find (module|package)|ERR_MODULE_NOT_FOUND|No such file|ENOENT/;

/** Nothing unless the program misses something. */
export function outsideHint(
  said: string,
  command: readonly string[],
  folder: string | undefined,
): string {
  if (folder === undefined || !MISSES.test(said)) return "";
  const outside = command
    .slice(1)
    .map((word) => resolve(folder, word))
    .find(
      (path) =>
        relative(folder, path).startsWith("..") && existsSync(path) && statSync(path).isFile(),
    );
  if (outside === undefined) return "";
  return (
    `\n${outside} lies outside of its manifest's folder ${folder}: the program sees that file, and nothing else of ` +
    `${dirname(outside)}. Put the manifest above all that it needs, or what it needs below the manifest`
  );
}
