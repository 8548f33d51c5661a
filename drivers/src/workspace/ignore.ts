// Ignore: `.aosignore` at the top of a project excludes files from copies, with the rules of .gitignore.
//
//   node_modules/      every folder of this name
//   *.iso              every file or folder whose name ends so
//   /build/cache       this one, from the top of the project
//   !keep.iso          and yet this one
//
// IGNORE-1  A line that could never match, or could take long to match, is an error that names it.
// IGNORE-2  Upper and lower case are different, as in git on Linux.

import { SysError } from "@aos/protocol";
import ignore from "ignore";

export const IGNORE_FILE = ".aosignore";
export const MAX_IGNORE_BYTES = 65_536;
const MAX_LINES = 1000;

/** Whether to leave out the file or folder at this path. */
export type Ignores = (path: string, isFolder: boolean) => boolean;

export function readIgnore(text: string): Ignores {
  const lines = text.split(/\r?\n/).map(withoutIndent);
  if (lines.length > MAX_LINES)
    throw new SysError("EINVAL", `${IGNORE_FILE} has more than ${MAX_LINES} lines`);
  for (const [index, line] of lines.entries()) refuse(line, index + 1);
  // Paths are of a walk: `..x` is a name there, and no way up.
  const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add(lines);
  return (path, isFolder) => rules.ignores(isFolder ? `${path}/` : path);
}

/** As before there were rules of git here. A space at the end is taken off by those. */
const withoutIndent = (line: string): string => line.trimStart();

/** IGNORE-1. */
function refuse(line: string, at: number): void {
  if (line === "" || line.startsWith("#")) return;
  const parts = line.replace(/^!/, "").trimEnd().replace(/^\//, "").replace(/\/$/, "").split("/");
  const problem = parts.some((part) => part === "" || part === "." || part === "..")
    ? "matches nothing"
    : parts.slice(0, -1).filter((part) => part === "**").length > 1
      ? "has ** more than once before its end, which takes too long"
      : undefined;
  if (problem === undefined) return;
  throw new SysError("EINVAL", `${IGNORE_FILE}:${at}: ${JSON.stringify(line)} ${problem}`, {
    hint: "the rules are those of .gitignore: a name, a path from the top, or a pattern",
  });
}
