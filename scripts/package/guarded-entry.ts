// Guarded entry: what `import "agent-os"` loads in the package. It checks the version of Node before anything that an
// older Node cannot read is loaded.
//
// All modules that a module names are parsed before the first of them runs, so that a check inside the library would
// come too late. `require` loads the library after the check, and synchronously: `require("agent-os")` works as well.

const NODE = 24;
/** The module with the library itself, beside the entry. */
export const LIBRARY = "library.ts";

export async function guardedEntry(source: string): Promise<string> {
  const names = Object.keys((await import(source)) as object).toSorted();
  return `// The library, behind a check of the version of Node.
import { createRequire } from "node:module";

if (Number.parseInt(process.versions.node, 10) < ${NODE})
  throw new Error(
    \`agent-os needs Node ${NODE} or newer, and this is Node \${process.versions.node}; run your program with the one that came with the package (npx node FILE), or install Node ${NODE}\`,
  );

export const {
${names.map((name) => `  ${name},\n`).join("")}} = createRequire(import.meta.url)("./library.js");
`;
}
