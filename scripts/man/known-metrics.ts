// KnownMetrics: the metrics of a daemon, as its registry has them.

import { bootKernel } from "@aos/kernel";
import { MetricsSource } from "../../daemon/src/metrics/metrics-source.ts";

export interface KnownMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

export async function knownMetrics(): Promise<KnownMetric[]> {
  const kernel = await bootKernel({});
  const closing = new AbortController();
  const source = new MetricsSource({
    kernel,
    version: "0",
    closing: closing.signal,
    onMistake: () => {},
    exports: {},
  });
  try {
    const registry = await source.registry();
    return registry.getMetricsAsArray().map((metric) => {
      const { name, type, help, labelNames = [] } = metric as unknown as Described;
      return { name, type: String(type), labels: labelNames, help };
    });
  } finally {
    closing.abort();
    await kernel.close();
  }
}

/** prom-client keeps the names of the labels and does not declare them. */
interface Described {
  readonly name: string;
  readonly type: unknown;
  readonly help: string;
  readonly labelNames?: readonly string[];
}
