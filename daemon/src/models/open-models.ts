// Models for a daemon: the providers of its configuration, what it can play again, and what it records.

import { statSync } from "node:fs";
import { createProvider } from "@aos/drivers";
import type { Kernel } from "@aos/kernel";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Home } from "../home.ts";
import { tenantsOf } from "../tenant-config.ts";
import { logChanges } from "../watch-files.ts";
import { hintingAtKeys } from "./key-hint.ts";
import { ModelRegistry } from "./model-registry.ts";
import { createRecordModels } from "./record-model.ts";
import { createReplayModels } from "./replay-model.ts";

interface Parts {
  readonly home: Home;
  readonly config: Config;
  /** Reads it again. */
  readonly read: () => Config;
  /** There before any model is asked. */
  readonly kernel: () => Kernel;
  readonly log: Logger;
}

export function openModels({ home, config, read, kernel, log }: Parts): ModelRegistry<Config> {
  const registry: ModelRegistry<Config> = new ModelRegistry({
    config,
    read: () => {
      const again = read();
      log.level = again.log.level;
      kernel()
        .configureTenants(tenantsOf(again))
        .catch((error: unknown) => log.error({ err: error }, "`tenants:` could not be applied"));
      return again;
    },
    dayOf: () => dayOf(home.config),
    create: (declared) => hintingAtKeys(createProvider(declared), declared.keySecret),
    onChanges: (changes) => logChanges(log, changes),
    more: [
      createReplayModels(kernel),
      createRecordModels({
        kernel,
        folder: home.recordings,
        driverOf: (provider) => registry.driver(provider),
        onTrouble: (what, error) => log.warn({ err: error }, what),
      }),
    ],
  });
  return registry;
}

/** When a file was last changed; today where there is none. */
function dayOf(file: string): string {
  const changed = statSync(file, { throwIfNoEntry: false })?.mtime ?? new Date();
  return changed.toISOString().slice(0, 10);
}
