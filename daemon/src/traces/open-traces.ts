// Traces for a daemon: follows all processes as their records become durable, and exports them. Unless the
// configuration names a destination, none of it is loaded and nothing waits.

import type { Kernel } from "@aos/kernel";
import type { Logger } from "pino";
import { DAEMON_VERSION } from "../version.ts";
import { sayingOnce } from "../telemetry/open-events.ts";
import type { TelemetryConfig } from "../telemetry/telemetry-config.ts";

export interface Traces {
  /** Sends what is still here, and ends. */
  close(): Promise<void>;
}

export async function openTraces(
  kernel: Kernel,
  { otlp: url, signals, content }: TelemetryConfig,
  log: Pick<Logger, "info" | "warn">,
): Promise<Traces> {
  if (url === undefined || !signals.includes("traces")) return { close: async () => {} };
  const [{ Otlp }, { RunSpans }] = await Promise.all([
    import("./otlp.ts"),
    import("./run-spans.ts"),
  ]);
  const onTrouble = sayingOnce(log, `traces could not be sent to ${URL.parse(url)?.origin}`);
  const otlp = new Otlp({ url, version: DAEMON_VERSION, onTrouble });
  const spans = new RunSpans(kernel, { content });
  const stopping = new AbortController();
  const following = (async () => {
    for await (const event of kernel.follow({ signal: stopping.signal })) {
      try {
        const span = await spans.note(event);
        if (span !== undefined) otlp.add(span);
      } catch (error) {
        onTrouble(error); // a span less; the run is not the poorer for it
      }
    }
  })().catch(onTrouble);
  log.info({ url: URL.parse(url)?.origin, content }, "traces are sent");
  return {
    async close() {
      stopping.abort();
      await following;
      await otlp.close();
    },
  };
}
