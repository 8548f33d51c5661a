// MetricsSource: the metrics of a daemon as a registry, for a scrape or an exporter.
//
// METRICS-SOURCE-1  Each event is counted once, from the first request for metrics on.

import type { Kernel } from "@aos/kernel";
import type { Registry } from "prom-client";
import type { ExportCounts } from "../telemetry/export-queue.ts";
import { ActivityMetrics } from "./activity-metrics.ts";
import { collectMetrics } from "./render.ts";

interface Parts {
  readonly kernel: Pick<
    Kernel,
    "follow" | "status" | "queue" | "countQuestions" | "cost" | "fleets" | "postSums"
  >;
  readonly version: string;
  /** Until when it counts. */
  readonly closing: AbortSignal;
  readonly onMistake: (error: unknown) => void;
  /** What is sent to others, by where it goes. */
  readonly exports: Readonly<Record<string, ExportCounts>>;
}

export class MetricsSource {
  readonly #parts: Parts;
  #activity: ActivityMetrics | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async registry(): Promise<Registry> {
    const { kernel, version, closing, onMistake, exports } = this.#parts;
    if (this.#activity === undefined) {
      this.#activity = new ActivityMetrics();
      this.#activity.follow(kernel, closing).catch(onMistake);
    }
    return collectMetrics(kernel, this.#activity, version, exports);
  }
}
