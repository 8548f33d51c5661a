// Watch files: detects that policy files or config.yaml were changed, created or removed.
//
// It polls instead of using file events: editors that replace a file, folders that come and go and network disks then
// all work the same, and other writes in the home cost nothing. A change counts once two polls see the same state.

import { statSync } from "node:fs";
import type { Logger } from "pino";
import type { ConfigChanges } from "./models/config-changes.ts";
import type { ModelRegistry } from "./models/model-registry.ts";

const LOOK_EVERY_MS = 500;

export function watchPolicy(
  places: () => readonly string[],
  changed: () => void,
): { close(): void } {
  let settled = look(places());
  let last = settled;
  const timer = setInterval(() => {
    const now = look(places());
    const isStill = now === last;
    last = now;
    if (!isStill || now === settled) return;
    settled = now;
    changed();
  }, LOOK_EVERY_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

const look = (places: readonly string[]): string => places.map(markOf).join("\n");

function markOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? path : `${path} ${found.ino} ${found.size} ${found.mtimeMs}`;
  } catch {
    return path;
  }
}

/** What is different; nothing where nothing is. */
export function logChanges(
  log: Pick<Logger, "info" | "warn">,
  { made, waiting }: ConfigChanges,
): void {
  if (made.length > 0) log.info({ changes: made }, "config.yaml was reloaded");
  if (waiting.length > 0)
    log.warn({ settings: waiting }, "these settings of config.yaml take effect at the next start");
}

/** Reads config.yaml again when it was changed, and logs the result. */
export function watchConfig(
  files: readonly string[],
  models: Pick<ModelRegistry, "reread">,
  log: Pick<Logger, "error">,
): { reread(): void; close(): void } {
  const reread = () => {
    try {
      models.reread();
    } catch (error) {
      log.error({ err: error }, "config.yaml has errors; the previous settings stay in force");
    }
  };
  const watching = watchPolicy(() => [...files], reread);
  return { reread, close: () => watching.close() };
}
