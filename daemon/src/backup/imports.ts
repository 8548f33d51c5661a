// Imports: bundles that were imported into a home. Their runs are history: they are in no list of processes, hold
// nothing, spend nothing and cannot be continued. The owner of the home can list and replay them.
//
// IMPORTS-1  A bundle is imported, or nothing of it is in the home: it counts once the index names it.

import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { examineRuns, SCHEMA_VERSION, type ReplayedRun } from "@aos/kernel";
import { SysError, type ImportedRun, type ImportReport } from "@aos/protocol";
import type { Home } from "../home.ts";
import { openBundle } from "./bundle.ts";
import { replayOptions } from "./examine-home.ts";
import { fileFailure } from "./file-failure.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type OnProgress = (doing: string, done: number, of?: number) => void;

const indexOf = (home: Home): string => join(home.imports, "index.json");

export async function importedRuns(home: Home): Promise<ImportedRun[]> {
  if (!existsSync(indexOf(home))) return [];
  return JSON.parse(await readFile(indexOf(home), "utf8")) as ImportedRun[];
}

export async function importBundle(
  home: Home,
  file: string,
  env: Environment,
  onProgress: OnProgress,
): Promise<ImportReport> {
  const { signer, runs } = await replayBundle(home, file, env, onProgress);
  const different = runs.find(({ outcome }) => outcome === "different");
  if (different !== undefined)
    throw new SysError("ECORRUPT", `${different.pid} of ${file} does not replay as recorded`, {
      hint: "nothing was imported",
    });
  const known = await importedRuns(home);
  const again = runs.find(({ pid }) => known.some((run) => run.pid === pid));
  if (again !== undefined)
    throw new SysError("EEXIST", `${again.pid} of ${file} is imported already`);
  const bundle = `${new Date().toISOString().replaceAll(/[-:.]/g, "")}.bundle`;
  const importedAt = new Date().toISOString();
  const added = runs.map(({ pid, agent, state, outcome }) => ({
    pid,
    agent,
    state,
    replay: outcome,
    bundle,
    signer,
    importedAt,
  }));
  await keep(home, file, bundle, [...known, ...added]);
  return { file, bundle, signer, runs: added };
}

/** IMPORTS-1. */
async function keep(home: Home, file: string, bundle: string, index: ImportedRun[]): Promise<void> {
  const kept = join(home.imports, bundle);
  const half = `${indexOf(home)}.new`;
  try {
    await mkdir(home.imports, { recursive: true, mode: 0o700 });
    await copyFile(file, kept);
    await writeFile(half, `${JSON.stringify(index)}\n`, { mode: 0o600 });
    await rename(half, indexOf(home));
  } catch (error) {
    for (const path of [half, kept]) await rm(path, { force: true });
    throw fileFailure(error, `${file} was not imported`);
  }
}

/** Every run of a bundle, or the one that is asked for, out of a file or of what was imported. */
export async function replayFrom(
  home: Home,
  { file, pid }: { readonly file?: string; readonly pid?: string },
  env: Environment,
  onProgress: OnProgress,
): Promise<ImportReport> {
  const run = (await importedRuns(home)).find((one) => one.pid === pid);
  if (file === undefined && run === undefined)
    throw new SysError("ENOENT", `unknown process ${pid}`, {
      hint: "`aos ps -a` lists all processes, `aos import` those that were imported",
    });
  const from = file ?? join(home.imports, run!.bundle!);
  const { signer, runs } = await replayBundle(home, from, env, onProgress);
  const asked = runs.filter((one) => pid === undefined || one.pid === pid);
  return {
    file: from,
    bundle: run?.bundle ?? null,
    signer,
    runs: asked.map(({ pid: of, agent, state, outcome }) => ({
      pid: of,
      agent,
      state,
      replay: outcome,
      bundle: run?.bundle ?? null,
      signer,
      importedAt: run?.importedAt ?? null,
    })),
  };
}

async function replayBundle(
  home: Home,
  file: string,
  env: Environment,
  onProgress: OnProgress,
): Promise<{ signer: string | null; runs: readonly ReplayedRun[] }> {
  await mkdir(home.folder, { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(home.folder, ".bundle-"));
  const { options, close } = replayOptions(home, env);
  try {
    const { database, signer } = await openBundle(file, scratch, SCHEMA_VERSION);
    const runs = await examineRuns({ ...options, store: { file: database } }, onProgress);
    return { signer, runs };
  } catch (error) {
    throw fileFailure(error, `${file} cannot be unpacked in ${home.folder}`);
  } finally {
    await close();
    await rm(scratch, { recursive: true, force: true });
  }
}
