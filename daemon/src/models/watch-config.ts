// WatchConfig: reads config.yaml again when it was changed, and says in the log what came of it.

import type { Logger } from "pino";
import { watchPolicy } from "../policy/watch-policy.ts";
import type { ConfigChanges } from "./config-changes.ts";
import type { ModelRegistry } from "./model-registry.ts";

/** What is different; nothing where nothing is. */
export function logChanges(
  log: Pick<Logger, "info" | "warn">,
  { made, waiting }: ConfigChanges,
): void {
  if (made.length > 0) log.info({ changes: made }, "config.yaml was reloaded");
  if (waiting.length > 0)
    log.warn({ settings: waiting }, "these settings of config.yaml take effect at the next start");
}

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
