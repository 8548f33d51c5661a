// What a caller's answers are made from: everything, or what is one tenant's.
//
// P1  A caller of one tenant names no path of the machine: the folders of here are nobody's, or somebody
//     else's.

import { SysError } from "@aos/protocol";
import type { Desk } from "./answers.ts";
import type { Caller } from "./caller.ts";
import { confine } from "./tenant-kernel.ts";

export const deskFor = (desk: Desk, { tenant }: Pick<Caller, "tenant">): Desk =>
  tenant === null ? desk : { ...desk, kernel: confine(desk.kernel, tenant) };

/** The arguments that are paths, in every row. */
export const pathArguments = ["cwd", "folder", "workspace", "paths"] as const;

/** P1. */
export function refusePaths({ tenant }: Pick<Caller, "tenant">, args: object): void {
  if (tenant === null) return;
  const given = pathArguments.find((name) => (args as Record<string, unknown>)[name] !== undefined);
  if (given === undefined) return;
  throw new SysError(
    "EACCES",
    `${given} is a path of the machine, and this caller is of ${tenant}`,
    {
      hint: "leave it out; give the manifest itself, and the files with the input",
    },
  );
}
