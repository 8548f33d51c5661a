// A home that no daemon runs on, audited and replayed with the programs of this release.

import { dirname } from "node:path";
import { createForeignPrograms } from "@aos/drivers";
import { examineStore, type KernelExamination } from "@aos/kernel";
import { programs } from "@aos/userland";
import { kernelOptionsOf, programRunnerOptionsOf, readConfig } from "../config.ts";
import type { Home } from "../home.ts";
import { programEnvironment, programLibraries } from "../program-libraries.ts";
import { openProgramRunner } from "../program-runner-setup.ts";

interface Wishes {
  readonly replays: boolean;
  readonly onProgress: (what: string, done: number, of: number) => void;
}

export async function examineHome(
  home: Home,
  env: Readonly<Record<string, string | undefined>>,
  wishes: Wishes,
): Promise<KernelExamination> {
  const config = readConfig(home, { AOS_SECRET_KEY: env["AOS_SECRET_KEY"] });
  const runner = openProgramRunner({
    ...programRunnerOptionsOf(config, home),
    private: [home.folder, dirname(home.socket)],
    marks: () => {
      throw new Error("nothing is marked by a replay");
    },
    onQuarantine: async () => {},
  });
  try {
    return await examineStore(
      {
        ...kernelOptionsOf(config, home),
        store: { file: home.database },
        programs,
        foreign: createForeignPrograms({
          sandbox: runner.sandbox,
          private: runner.private,
          libraries: programLibraries,
          env: programEnvironment,
        }),
      },
      wishes,
    );
  } finally {
    await runner.close();
  }
}
