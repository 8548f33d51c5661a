// The composition root: makes the parts of a kernel, family by family. Which part knows which is said here and in
// the compose-*.ts files beside it, and nowhere else.
//
// COMPOSE-1  A family is given the families that were made before it. What it needs of a later one it asks for
//     when the kernel runs, through `later`.

import type { KernelOptions } from "../options.ts";
import type { OpenedVault } from "../secret/secret-store.ts";
import type { OpenedStore } from "../store/mail-reports.ts";
import { composeAuthority, composeProofs } from "./compose-authority.ts";
import { composeExecution, composeLifecycle, composeUpkeep } from "./compose-execution.ts";
import { composeBase, composeDevices, composeProcesses } from "./compose-processes.ts";
import type { KernelParts, LaterParts } from "./kernel-parts.ts";

export function composeKernel(
  store: OpenedStore,
  options: KernelOptions,
  opened: OpenedVault,
): KernelParts {
  let parts: KernelParts | undefined;
  const later: LaterParts = () => {
    if (parts === undefined) throw new Error("a part was used before the kernel was complete");
    return parts; // COMPOSE-1
  };
  const base = composeBase(store, options, opened, later);
  const processes = composeProcesses(base, options, later);
  opened.rows.book = processes;
  const devices = composeDevices(processes, options);
  const proofs = composeProofs(processes, options, opened, later);
  const lifecycle = composeLifecycle(processes, options, later);
  const authority = composeAuthority(
    processes,
    options,
    opened,
    { ...proofs, ...lifecycle },
    later,
  );
  const made = { ...processes, ...devices, ...proofs, ...lifecycle, ...authority };
  const execution = composeExecution(made, options, later);
  const upkeep = composeUpkeep({ ...made, ...execution }, options);
  parts = { ...made, ...execution, ...upkeep };
  return parts;
}
