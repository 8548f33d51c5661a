// SandboxLimits: the limits of a run, their defaults, and their texts.
//
// SANDBOX-LIMITS-1  No run gets more than the operator allows; a tool may ask for less or, where the operator set
//     nothing, for anything.
// SANDBOX-LIMITS-2  A limit is a whole number from 1 up, or Infinity for none.

import { SysError } from "@aos/protocol";
import type { LimitName, RunLimits } from "./sandbox.ts";

export type SandboxLimits = Required<RunLimits>;

const MIB = 2 ** 20;

export const defaultRunLimits: SandboxLimits = {
  wallMs: 10 * 60_000,
  cpuMs: 10 * 60_000,
  memoryBytes: 1024 * MIB,
  processes: 256,
  openFiles: 1024,
  fileBytes: 1024 * MIB,
  outputBytes: 10 * MIB,
  diskBytes: 2048 * MIB,
  files: 250_000,
};

const names = Object.keys(defaultRunLimits) as LimitName[];

export function settleLimits(asked: RunLimits = {}, operator: RunLimits = {}): SandboxLimits {
  const settled = names.map((name) => {
    const limit = Math.min(asked[name] ?? defaultRunLimits[name], operator[name] ?? Infinity);
    if (limit !== Infinity && !(Number.isSafeInteger(limit) && limit > 0)) {
      throw new SysError("EINVAL", `${name} is ${limit}: it must be a whole number from 1 up`);
    }
    return [name, limit];
  });
  return Object.fromEntries(settled) as SandboxLimits;
}

const kinds: Record<LimitName, readonly [what: string, unit: "time" | "bytes" | "count"]> = {
  wallMs: ["time", "time"],
  cpuMs: ["processor time", "time"],
  memoryBytes: ["memory", "bytes"],
  processes: ["processes", "count"],
  openFiles: ["open files", "count"],
  fileBytes: ["file size", "bytes"],
  outputBytes: ["output", "bytes"],
  diskBytes: ["disk", "bytes"],
  files: ["files", "count"],
};

/** `memory: more than 256 MiB` */
export function formatLimit(name: LimitName, limit: number): string {
  const [what, unit] = kinds[name];
  const units = { time: sayTime, bytes: sayBytes, count: String };
  return `${what}: more than ${units[unit](limit)}${name === "processes" ? " at once" : ""}`;
}

function sayBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return `${Number(bytes.toFixed(1))} ${units[unit]}`;
}

function sayTime(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  return ms < 120_000
    ? `${Number((ms / 1000).toFixed(1))} s`
    : `${Number((ms / 60_000).toFixed(1))} min`;
}
