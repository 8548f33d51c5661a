// Declarations: the types of what people import. The compiler writes them for the whole repository; the
// package takes those that its public entries reach.

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
    emit(folder);
    return reachable(folder, entries);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function emit(folder: string): void {
  const project = join(repository, `tsconfig.package-${process.pid}.json`);
  const include = [...rooms.map((room) => `${room}/src`), "*.ts"];
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
    const path = file.replace(/\.ts$/, ".d.ts");
    const text = readFileSync(join(folder, path), "utf8");
    found.set(path, withPackageNames(file, text));
    open.push(...modulesNamed(file, text));
  }
  return found;
}
