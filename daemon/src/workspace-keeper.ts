// Workspace keeper: completes interrupted commits and undos, and removes workspaces of trees that ended long enough
// ago.
//
// WORKSPACE-KEEPER-1  A living tree keeps its workspace, whatever its age.

import type { Kernel } from "@aos/kernel";
import { isEnded, SysError } from "@aos/protocol";
import type { Workspaces } from "@aos/drivers";
import type { openLog } from "./log.ts";

type Log = ReturnType<typeof openLog>;

const EVERY_MS = 3_600_000;

export async function keepWorkspaces(
  workspaces: Workspaces,
  kernel: Pick<Kernel, "show">,
  log: Pick<Log, "info" | "error">,
): Promise<{ close(): void }> {
  for (const { tree, what } of await workspaces.recover()) log.info({ tree }, what);
  const look = () =>
    collect(workspaces, kernel, log).catch((error: unknown) =>
      log.error({ err: error }, "old workspaces could not be removed"),
    );
  await look();
  const timer = setInterval(() => void look(), EVERY_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

async function collect(
  workspaces: Workspaces,
  kernel: Pick<Kernel, "show">,
  log: Pick<Log, "info">,
): Promise<void> {
  const { removed, bytes } = await workspaces.collect(Date.now(), (tree) => isAlive(kernel, tree));
  if (removed.length > 0) log.info({ removed, bytes }, "old workspaces were removed");
}

/** WORKSPACE-KEEPER-1. A tree is called by its first process, and ends with it. What cannot be looked at may be alive. */
async function isAlive(kernel: Pick<Kernel, "show">, tree: string): Promise<boolean> {
  try {
    return !isEnded((await kernel.show(tree)).state);
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return false;
    throw error;
  }
}
