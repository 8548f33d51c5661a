// Install programs: installs what `aos doctor` found missing, with the package manager of this machine.
//
//   const plan = installPlan(host, ["rg", "jq"])     undefined where no package manager is known
//   const problems = await runPlan(plan, host)       each command that failed, with its reason
//
// INSTALL-PROGRAMS-1  A command is built only from the rows of package managers and of helper programs. A program
//     without a row is left out.
// INSTALL-PROGRAMS-2  Without a terminal there is no password prompt: the command fails instead.

import { helperPrograms } from "@aos/protocol/words";
import type { SetupHost } from "./install-bubblewrap.ts";
import { findPackageManager, prefixFor, type PackageManager } from "./system-packages.ts";

type Machine = Pick<SetupHost, "path" | "isRoot" | "hasTerminal" | "run">;

export interface InstallPlan {
  readonly commands: readonly (readonly string[])[];
  /** As it would be typed. */
  readonly line: string;
}

export function installPlan(
  machine: Omit<Machine, "run">,
  programs: readonly string[],
): InstallPlan | undefined {
  const manager = findPackageManager(machine.path);
  if (manager === undefined) return undefined;
  const packages = programs.flatMap((program) => packageOf(program, manager)); // INSTALL-PROGRAMS-1
  const commands = new Map(
    packages.flatMap(manager.install).map((words) => {
      const all = [...prefixFor(manager, machine), ...words];
      return [all.join(" "), all];
    }),
  );
  return { commands: [...commands.values()], line: [...commands.keys()].join(" && ") };
}

function packageOf(program: string, { command }: PackageManager): string[] {
  if (program === "bubblewrap") return ["bubblewrap"];
  const row = helperPrograms.find((helper) => helper.program === program);
  return row === undefined ? [] : [row.packages?.[command] ?? row.package];
}

/** Every command is tried: one package that cannot be had keeps none of the others away. */
export async function runPlan({ commands }: InstallPlan, machine: Machine): Promise<string[]> {
  const problems: string[] = [];
  for (const command of commands) {
    const { problem } = await machine.run(command);
    if (problem !== undefined) problems.push(`${command.join(" ")}: ${problem}`);
  }
  return problems;
}
