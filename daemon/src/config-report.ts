// Config report: the output of `aos config show`, with or without a running daemon.

import { SysError, type ConfigReport } from "@aos/protocol";
import { checkConfigText } from "./config.ts";
import { readOverrides, type Environment } from "./config-overrides.ts";
import { inForce, readSources } from "./config-sources.ts";
import { configText } from "./config-text.ts";
import type { Home } from "./home.ts";

interface Place {
  readonly home: Home;
  readonly env: Environment;
  readonly flags: readonly string[];
}

/** As a daemon would have it that is started now. */
export function configAtStart({ home, env, flags }: Place): ConfigReport {
  const file = home.config;
  const settings = readSources({ text: configText(file), file, given: readOverrides(env, flags) });
  return { home: home.folder, file, settings };
}

/** Remembers what the daemon is started with; the report is made when somebody asks. */
export function openConfigReport({ home, env, flags }: Place): () => ConfigReport {
  const file = home.config;
  const given = readOverrides(env, flags);
  const textAtStart = configText(file);
  let lastGood = textAtStart;
  return () => {
    let problem: string | undefined;
    try {
      const text = configText(file);
      checkConfigText(text, file);
      lastGood = text;
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      problem = error.message;
    }
    const read = (text: string) => readSources({ text, file, given });
    const settings = inForce(read(textAtStart), read(lastGood));
    return { home: home.folder, file, settings, ...(problem === undefined ? {} : { problem }) };
  };
}
