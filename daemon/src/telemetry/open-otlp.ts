// OTLP logs and metrics of a daemon, beside traces: the daemon's own log, and what GET /metrics says. Nothing is loaded
// unless `telemetry.signals` names them.

import type { Logger } from "pino";
import { DAEMON_VERSION } from "../version.ts";
import type { MetricsSource } from "../metrics/metrics-source.ts";
import { ExportQueue, type ExportCounts } from "./export-queue.ts";
import { sayingOnce } from "./open-events.ts";
import type { TelemetryConfig } from "./telemetry-config.ts";

const METRICS_EVERY_MS = 60_000;

export interface LogExport {
  readonly counts: ExportCounts;
  /** A line of the log, as it was written. */
  readonly add: (line: string) => void;
  /** Where trouble is said, once there is a log. */
  log: Pick<Logger, "warn"> | undefined;
  close(): Promise<void>;
}

/** Before there is a log. */
export async function openLogExport({
  otlp,
  signals,
}: TelemetryConfig): Promise<LogExport | undefined> {
  if (otlp === undefined || !signals.includes("logs")) return undefined;
  const { otlpLog, otlpLogs, postOtlp } = await import("./otlp-json.ts");
  let say: ((error: unknown) => void) | undefined;
  const queue = new ExportQueue<string>({
    send: (lines) =>
      postOtlp(
        otlp,
        "/v1/logs",
        otlpLogs(
          lines.map((line) => otlpLog(line)),
          DAEMON_VERSION,
        ),
      ),
    onTrouble: (error) => {
      if (opened.log !== undefined)
        (say ??= sayingOnce(opened.log, "log records could not be sent"))(error);
    },
  });
  const opened: LogExport = {
    counts: queue.counts,
    add: (line) => queue.add(line),
    log: undefined,
    close: () => queue.close(),
  };
  return opened;
}

export async function openMetricsExport(
  source: MetricsSource,
  { otlp, signals }: TelemetryConfig,
  log: Pick<Logger, "info" | "warn">,
  everyMs = METRICS_EVERY_MS,
): Promise<{ close(): Promise<void> } | undefined> {
  if (otlp === undefined || !signals.includes("metrics")) return undefined;
  const { otlpMetrics, postOtlp } = await import("./otlp-json.ts");
  const onTrouble = sayingOnce(log, "metrics could not be sent");
  const startedMs = Date.now();
  const send = async () => {
    try {
      const metrics = await (await source.registry()).getMetricsAsJSON();
      const times = { version: DAEMON_VERSION, startedMs, nowMs: Date.now() };
      await postOtlp(otlp, "/v1/metrics", otlpMetrics(metrics, times));
    } catch (error) {
      onTrouble(error); // the next time says all that this one would have said
    }
  };
  await source.registry(); // from here on what passes by is counted
  const timer = setInterval(() => void send(), everyMs);
  timer.unref();
  log.info({ url: URL.parse(otlp)?.origin, everyMs }, "metrics are sent");
  return {
    async close() {
      clearInterval(timer);
      await send();
    },
  };
}
