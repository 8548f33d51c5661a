// Time span: --since and --until, as durations back from now.

import type { Options } from "./command.ts";
import { readDurationOption } from "./read-number.ts";

export function timeSpan(options: Options): { readonly since?: string; readonly until?: string } {
  const span: { since?: string; until?: string } = {};
  for (const name of ["since", "until"] as const) {
    const back = readDurationOption(options.text(name), `--${name}`);
    if (back !== undefined) span[name] = new Date(Date.now() - back).toISOString();
  }
  return span;
}
