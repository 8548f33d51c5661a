// The sandbox of this machine for a test process: tried out once, shared by all the kernels in it.

import { createForeignPrograms, createSandbox, type Sandbox } from "@aos/drivers";
import { programLibraries } from "@aos/daemon/parts";

let sandbox: Promise<Sandbox> | undefined;

export const theSandbox = (): Promise<Sandbox> => (sandbox ??= createSandbox({}));

/** At the end of a file of tests, or of a program. */
export async function closeSandbox(): Promise<void> {
  await (await sandbox)?.close();
  sandbox = undefined;
}

type More = Omit<Parameters<typeof createForeignPrograms>[0], "sandbox" | "libraries">;

/** Foreign programs as the daemon runs them. */
export const sandboxedPrograms = (more: More = {}) =>
  createForeignPrograms({ sandbox: theSandbox, libraries: programLibraries, ...more });
