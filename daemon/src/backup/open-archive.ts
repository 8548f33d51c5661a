// The archive of a daemon, where its configuration names a folder for it.

import { createForeignPrograms } from "@aos/drivers";
import type { Kernel } from "@aos/kernel";
import { programs } from "@aos/userland";
import { archiveFolderOf, kernelOptionsOf, type Config } from "../config.ts";
import type { Home } from "../home.ts";
import { programEnvironment, programLibraries } from "../program-libraries.ts";
import type { OpenProgramRunner } from "../program-runner-setup.ts";
import { ArchiveFolder } from "./archive-folder.ts";
import { archivedKernel } from "./archived-kernel.ts";
import { ArchivedRuns } from "./archived-runs.ts";

interface Parts {
  readonly config: Config;
  readonly home: Home;
  readonly runner: OpenProgramRunner;
  readonly kernel: () => Kernel;
}

export interface OpenArchive {
  readonly folder: ArchiveFolder;
  readonly runs: ArchivedRuns;
  /** The same kernel, which also answers for archived runs. */
  readonly over: (kernel: Kernel) => Kernel;
}

export function openArchive({ config, home, runner, kernel }: Parts): OpenArchive | undefined {
  const path = archiveFolderOf(config, home);
  if (path === undefined) return undefined;
  const folder = new ArchiveFolder(path, home);
  const foreign = createForeignPrograms({
    sandbox: runner.sandbox,
    private: runner.private,
    libraries: programLibraries,
    env: programEnvironment,
  });
  const runs = new ArchivedRuns({
    folder,
    kernel: { ledger: (filter) => kernel().ledger(filter) },
    options: () => ({ ...kernelOptionsOf(config, home), programs, foreign }),
  });
  return { folder, runs, over: (given) => archivedKernel(given, runs) };
}
