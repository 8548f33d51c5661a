// Declarations: the types of what people import. The compiler writes them for the whole repository; the
// package takes those that its public entries reach.
//
// DECLARATIONS-1  A project needs nothing but the package: a public entry whose types name Node's asks for
//     them itself, and they come along as a dependency. Those that run in a browser name none.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository, rooms } from "./contents.ts";
import { modulesNamed, withPackageNames } from "./specifiers.ts";

/** By path in the package (`x.d.ts`), with their text. */
export function declarationsOf(entries: readonly string[]): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "aos-types-"));
  try {
    emit(folder, rooms);
    // Once more without the others in sight, where the compiler would look for names of types too.
    emit(folder, ["protocol", "client", "sdk"]);
    const files = reachable(folder, entries);
    for (const entry of entries) {
      const path = declarationOf(entry);
      if ([...reachable(folder, [entry]).values()].some(namesNode))
        // DECLARATIONS-1
        files.set(path, `/// <reference types="node" />\n${files.get(path)}`);
    }
    return files;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const namesNode = (text: string): boolean => /\bfrom "node:|\bBuffer\b|\bNodeJS\./.test(text);
const declarationOf = (file: string): string => file.replace(/\.ts$/, ".d.ts");

function emit(folder: string, of: readonly string[]): void {
  const project = join(repository, `tsconfig.package-${process.pid}.json`);
  const include = [...of.map((room) => `${room}/src`), ...(of === rooms ? ["*.ts"] : [])];
  writeFileSync(
    project,
    JSON.stringify({
      extends: "./tsconfig.json",
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        stripInternal: true,
        rootDir: ".",
        outDir: folder,
      },
      include,
      exclude: ["**/node_modules", "**/*.test.ts", "vitest.config.ts"],
    }),
  );
  try {
    const tsc = join(repository, "node_modules", "typescript", "bin", "tsc");
    const ran = spawnSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
    if (ran.status !== 0) throw new Error(`tsc failed:\n${ran.stdout}${ran.stderr}`);
  } finally {
    rmSync(project);
  }
}

function reachable(folder: string, entries: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const open = [...entries];
  const seen = new Set<string>();
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || !file.endsWith(".ts")) continue;
    seen.add(file);
    const path = declarationOf(file);
    const text = readFileSync(join(folder, path), "utf8");
    found.set(path, withPackageNames(file, text));
    open.push(...modulesNamed(file, text));
  }
  return found;
}
