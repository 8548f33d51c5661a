// A clone of this repository, as somebody has who has just got it: what is tracked or about to be, and
// nothing that was built. The packages are those that are installed here, so that no test downloads them.
//
// E2E-CLONE-1  It runs its own code: the rooms in its node_modules are its own.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./home.ts";

const OURS = "@aos";

export function cloneInto(folder: string): void {
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const gone = new Set(filesOf(["ls-files", "-z", "--deleted"]));
  for (const file of filesOf(listed)) {
    if (gone.has(file)) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file), { verbatimSymlinks: true });
  }
  linkPackages(join(ROOT, "node_modules"), join(folder, "node_modules"));
}

const filesOf = (words: string[]): string[] =>
  execFileSync("git", ["-C", ROOT, ...words], { encoding: "utf8", maxBuffer: 1 << 28 })
    .split("\0")
    .filter(Boolean);

/** E2E-CLONE-1: links of npm's are relative, so that a copy of them leads to the clone. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    if (name === OURS || name === ".bin")
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(from, name), join(to, name));
  }
}
