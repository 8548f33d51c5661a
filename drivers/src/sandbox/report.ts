// Report: the sandbox of a machine, in one line and in parts.

import { sandboxParts, type Hold, type SandboxPart } from "@aos/protocol";
import type { Holds, SandboxReport } from "./sandbox.ts";

/** One line for records: `bubblewrap 0.8.0: fs, net, pids enforced; disk advisory`. */
export function describeReport({ level, driver, holds }: SandboxReport): string {
  if (level === "none") return "no sandbox: the operator chose `none`";
  const groups = (["enforced", "advisory", "absent"] as const).flatMap((hold) => {
    const parts = sandboxParts.filter((part) => holds[part] === hold);
    return parts.length === 0 ? [] : `${parts.join(", ")} ${hold}`;
  });
  return `${driver}: ${groups.join("; ")}`;
}

export const everyPart = <T>(value: T): Record<SandboxPart, T> =>
  Object.fromEntries(sandboxParts.map((part) => [part, value])) as Record<SandboxPart, T>;

/** The report of a machine that holds nothing, and why. */
export function nothingHolds(driver: string, warnings: readonly string[]): SandboxReport {
  return {
    level: "process",
    driver,
    holds: everyPart<Hold>("absent"),
    mechanisms: everyPart("nothing"),
    warnings,
  };
}

export type Findings = Readonly<Record<SandboxPart, readonly [hold: Hold, mechanism: string]>>;

export function sandboxReport(
  driver: string,
  findings: Findings,
  warnings: readonly string[],
): SandboxReport {
  const column = <T>(index: 0 | 1) =>
    Object.fromEntries(sandboxParts.map((part) => [part, findings[part][index]])) as Record<
      SandboxPart,
      T
    >;
  return {
    level: "process",
    driver,
    holds: column<Hold>(0) as Holds,
    mechanisms: column<string>(1),
    warnings,
  };
}
