// Config report: the output of `aos config show`, with or without a running daemon.

import { SysError, type ConfigReport } from "@aos/protocol";
import { checkConfigLayers } from "./config.ts";
import { readOverrides, type Environment } from "./config-overrides.ts";
import { inForce, readSources } from "./config-sources.ts";
import { configLayers } from "./config-text.ts";
import type { Home } from "./home.ts";

interface Place {
  readonly home: Home;
  readonly env: Environment;
  readonly flags: readonly string[];
}

/** As a daemon would have it that is started now. */
export function configAtStart({ home, env, flags }: Place): ConfigReport {
  const given = readOverrides(env, flags);
  const settings = readSources({ layers: configLayers(home), given });
  return { home: home.folder, file: home.config, settings };
}

/** Remembers what the daemon is started with; the report is made when somebody asks. */
export function openConfigReport({ home, env, flags }: Place): () => ConfigReport {
  const file = home.config;
  const given = readOverrides(env, flags);
  const atStart = configLayers(home);
  let lastGood = atStart;
  return () => {
    let problem: string | undefined;
    try {
      const layers = configLayers(home);
      checkConfigLayers(layers);
      lastGood = layers;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      problem = error.message;
    }
    const read = (layers: typeof atStart) => readSources({ layers, given });
    const settings = inForce(read(atStart), read(lastGood));
    return { home: home.folder, file, settings, ...(problem === undefined ? {} : { problem }) };
  };
}
