// Ignored files: what `.gitignore` and `.aosignore` leave out, in every folder of a walk.
//
// IGNORED-FILES-1  A rule counts below the folder that it stands in; the rules of deeper folders come after.
// IGNORED-FILES-2  A pattern that takes too long to match is an error that names it: to leave it away would read what
//     somebody wanted left out.

import { SysError } from "@aos/protocol/failures";
import ignore, { type Ignore } from "ignore";

export const IGNORE_FILES = [".gitignore", ".aosignore"];
/** Never of interest, whatever the rules say. */
const NEVER = new Set([".git", ".hg", ".svn", "node_modules"]);
/** Matching is exponential in them. */
const MOST_WILD = 2;

export class IgnoredFiles {
  readonly #levels: readonly { readonly base: string; readonly rules: Ignore }[];

  constructor(levels: readonly { readonly base: string; readonly rules: Ignore }[] = []) {
    this.#levels = levels;
  }

  /** With the rules of a file in the folder `base`, which is "" at the top. */
  with(base: string, name: string, text: string): IgnoredFiles {
    const lines = text.split(/\r?\n/);
    for (const [at, line] of lines.entries())
      if (line.split("**").length - 1 > MOST_WILD)
        throw new SysError(
          "EINVAL",
          `${base === "" ? "" : `${base}/`}${name}:${at + 1}: ${JSON.stringify(line)} has ** more than ${MOST_WILD} times, which takes too long`,
        ); // IGNORED-FILES-2
    const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add(lines);
    return new IgnoredFiles([...this.#levels, { base, rules }]);
  }

  /** IGNORED-FILES-1. `file` is below the top, with `/` between. */
  has(file: string, isFolder: boolean): boolean {
    if (NEVER.has(file.slice(file.lastIndexOf("/") + 1))) return true;
    let isIgnored = false;
    for (const { base, rules } of this.#levels) {
      const below = base === "" ? file : file.slice(base.length + 1);
      const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
      isIgnored = ignored || (isIgnored && !unignored);
    }
    return isIgnored;
  }
}
