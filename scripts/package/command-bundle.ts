// Command bundle: the command line of the package, in one file for what most commands share and one for each that has
// more. Loading fifty modules takes as long as starting Node.
//
// COMMAND-BUNDLE-1  What is found beside a module (a template, the daemon) is found as it is in the source: a bundled
//     module knows where it was.
// COMMAND-BUNDLE-2  Packages of others are left out, and loaded where they are installed.
// COMMAND-BUNDLE-3  CommonJS: an import of a module of Node asks it for all that it exports, and so loads more.

import { posix, relative } from "node:path";
import { rolldown } from "rolldown";
import { repository } from "./contents.ts";
import { roomFileOf } from "./specifiers.ts";

const FOLDER = "cli/lib";
const ENTRY = "main.cjs";

/** The first file that Node reads of it, as `cli/bin/aos.mjs`. */
export const bundleStart = `const { enableCompileCache, createRequire } = process.getBuiltinModule("node:module");
enableCompileCache();
createRequire(import.meta.url)("../lib/${ENTRY}");
`;

/** By path in the package, with their text. */
export async function commandBundle(): Promise<Map<string, string>> {
  const build = await rolldown({
    cwd: repository,
    input: { main: "./cli/src/main.ts" },
    platform: "node",
    external: (name) => !/^(\.|\/|@aos\/)/.test(name), // COMMAND-BUNDLE-2
    plugins: [
      {
        name: "rooms",
        resolveId: (name) => (name.startsWith("@aos/") ? `${repository}${roomFileOf(name)}` : null),
      },
      { name: "places", transform: (code, file) => withPlace(code, file) },
    ],
  });
  const { output } = await build.generate({
    format: "cjs", // COMMAND-BUNDLE-3
    entryFileNames: ENTRY,
    chunkFileNames: "[name].cjs",
  });
  await build.close();
  const files = new Map<string, string>();
  for (const part of output)
    files.set(
      posix.join(FOLDER, part.fileName),
      part.type === "chunk" ? part.code : String(part.source),
    );
  return files;
}

/** COMMAND-BUNDLE-1. */
function withPlace(code: string, file: string): string | null {
  if (!code.includes("import.meta.url")) return null;
  const place = relative(`${repository}${FOLDER}`, file).replace(/\.ts$/, ".js");
  return code.replaceAll(
    "import.meta.url",
    `new URL(${JSON.stringify(place)}, import.meta.url).href`,
  );
}
