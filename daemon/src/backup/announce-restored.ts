// A home that was restored says so at its first start, in the ledger and in the log: another daemon may have the same
// identity, and what that one did since the backup is not known here.

import { existsSync, readFileSync, rmSync } from "node:fs";
import type { Kernel } from "@aos/kernel";
import type { Json } from "@aos/protocol";
import type { Logger } from "pino";
import type { Home } from "../home.ts";

export async function announceRestored(
  home: Home,
  kernel: Pick<Kernel, "enter">,
  log: Pick<Logger, "warn">,
): Promise<void> {
  if (!existsSync(home.restored)) return;
  const note = JSON.parse(readFileSync(home.restored, "utf8")) as { [key: string]: Json };
  await kernel.enter("home.restored", "kernel", note);
  log.warn(
    note,
    "this home was restored from a backup: it has the keys, pids and leases of the home that the backup was made of, which must not run as well",
  );
  rmSync(home.restored, { force: true });
}
