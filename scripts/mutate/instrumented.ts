// Vitest over sources in which every mutant is behind its switch.

import { join } from "node:path";
import { createVitest, type TestUserConfig, type Vitest } from "vitest/node";
import { instrument, type Mutant } from "./mutants.ts";

export async function openVitest(
  root: string,
  mutants: readonly Mutant[],
  config: TestUserConfig,
): Promise<Vitest> {
  const byFile = Map.groupBy(mutants, ({ file }) => join(root, file));
  return createVitest(
    "test",
    {
      root,
      config: false,
      watch: false,
      fsModuleCache: false, // else the next run finds the mutants of this one
      include: ["**/*.test.ts"],
      pool: "forks",
      maxWorkers: 1,
      reporters: [{}],
      ...config,
    },
    {
      plugins: [
        {
          name: "mutants",
          enforce: "pre",
          transform: (code: string, id: string) => {
            const inFile = byFile.get(id.split("?")[0]!);
            return inFile === undefined ? undefined : { code: instrument(code, inFile), map: null };
          },
        },
      ],
    },
  );
}
