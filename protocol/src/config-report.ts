// The configuration as a daemon has it: every setting, what it is, and who says so.

import type { Json } from "./json.ts";

export const settingSources = ["default", "file", "environment", "flag"] as const;
export type SettingSource = (typeof settingSources)[number];

export interface SettingReport {
  /** As in config.yaml, with dots: `http.port`. */
  readonly name: string;
  /** As one would write it; null where nothing is set and nothing is meant. */
  readonly value: Json;
  readonly source: SettingSource;
  /** File and line, the variable, or the flag; null for a default. */
  readonly where: string | null;
  /** Whether a change of the file counts without a restart. */
  readonly hot: boolean;
  /** What it will be after the next start, where the file says something else by now. */
  readonly next?: Json;
}

export interface ConfigReport {
  readonly home: string;
  readonly file: string;
  readonly settings: readonly SettingReport[];
  /** What is wrong with the file as it is now: what was in force stays. */
  readonly problem?: string;
}
