// A home that no daemon runs on, audited and replayed with the programs of this release.

import { createForeignPrograms } from "@aos/drivers";
import { examineStore, type KernelExamination, type KernelOptions } from "@aos/kernel";
import { programs } from "@aos/userland";
import { kernelOptionsOf, programRunnerOptionsOf, readConfig } from "../config.ts";
import type { Home } from "../home.ts";
import { programEnvironment, programLibraries } from "../program-libraries.ts";
import { openProgramRunner } from "../program-runner-setup.ts";

interface Wishes {
  readonly replays: boolean;
  readonly onProgress: (what: string, done: number, of: number) => void;
}

type Environment = Readonly<Record<string, string | undefined>>;

export async function examineHome(
  home: Home,
  env: Environment,
  wishes: Wishes,
): Promise<KernelExamination> {
  const { options, close } = replayOptions(home, env);
  try {
    return await examineStore({ ...options, store: { file: home.database } }, wishes);
  } finally {
    await close();
  }
}

/** What a kernel is made of that replays and does nothing else. */
export function replayOptions(
  home: Home,
  env: Environment,
): { options: KernelOptions; close: () => Promise<void> } {
  const config = readConfig(home, { AOS_SECRET_KEY: env["AOS_SECRET_KEY"] });
  const runner = openProgramRunner({
    ...programRunnerOptionsOf(config, home),
    marks: () => {
      throw new Error("a replay marks nothing");
    },
    onQuarantine: async () => {},
  });
  const foreign = createForeignPrograms({
    sandbox: runner.sandbox,
    private: runner.private,
    libraries: programLibraries,
    env: programEnvironment,
  });
  return {
    options: { ...kernelOptionsOf(config, home), programs, foreign },
    close: () => runner.close(),
  };
}
