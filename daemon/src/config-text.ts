// The text of config.yaml; a missing file counts as empty unless it was named explicitly.

import { readFileSync } from "node:fs";
import { SysError } from "@aos/protocol";
import type { Home } from "./home.ts";
import type { YamlText } from "./yaml-layers.ts";

export function configText(file: string, { mustBeThere = false } = {}): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && !mustBeThere) return "";
    throw new SysError("EINVAL", `cannot read ${file}: ${(error as Error).message}`);
  }
}

/** The texts that a daemon's configuration has, the weakest first. `own` in place of what is in the home. */
export function configLayers(home: Pick<Home, "baseConfig" | "config">, own?: string): YamlText[] {
  const { baseConfig, config } = home;
  const base =
    baseConfig === undefined
      ? []
      : [{ file: baseConfig, text: configText(baseConfig, { mustBeThere: true }) }];
  return [...base, { file: config, text: own ?? configText(config) }];
}
