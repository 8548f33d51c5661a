// Transpile: a source file as the package has it: JavaScript with a source map that holds the source.
//
// TRANSPILE-1  Types become white space: a line of the JavaScript is the same line of the source.

import { stripTypeScriptTypes } from "node:module";
import { posix } from "node:path";
import { withPackageNames } from "./specifiers.ts";

export interface Transpiled {
  readonly path: string;
  readonly code: string;
  readonly map: string;
}

/** `as` is the file that it becomes, in the same folder. */
export function transpile(file: string, source: string, as = file): Transpiled {
  const path = as.replace(/\.ts$/, ".js");
  const code = withPackageNames(file, stripTypeScriptTypes(source));
  const name = posix.basename(path);
  return {
    path,
    code: `${code.replace(/[ \t]+$/gm, "").trimEnd()}\n//# sourceMappingURL=${name}.map\n`,
    map: `${JSON.stringify({
      version: 3,
      file: name,
      sources: [posix.basename(file)],
      sourcesContent: [source],
      names: [],
      mappings: lineByLine(source),
    })}\n`,
  };
}

/** Each line begins where the same line of the source begins, in the encoding of source maps. */
const lineByLine = (source: string): string =>
  `AAAA${";AACA".repeat(source.split("\n").length - 1)}`;
