// Numbers and durations on the command line.

import { SysError } from "@aos/protocol/failures";
import { readDurationMs } from "@aos/protocol/quantity";

export function readNumberOption(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new SysError("EINVAL", `${option} must be a number, not ${JSON.stringify(text)}`);
}

export function readUsdOption(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const usd = Number(text);
  if (Number.isFinite(usd) && usd > 0) return usd;
  throw new SysError("EINVAL", `${option} must be an amount, not ${JSON.stringify(text)}`);
}

export function readDurationOption(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  try {
    return readDurationMs(text);
  } catch (error) {
    throw new SysError("EINVAL", `${option}: ${(error as Error).message}`);
  }
}
