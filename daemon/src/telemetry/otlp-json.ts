// OTLP in its JSON form over HTTP: log records and metrics as a collector takes them. Traces go by OpenTelemetry's own
// exporter (traces/otlp.ts); the same variables say where and with which headers.
//
// OTLP-JSON-1  Metrics are those of GET /metrics, by the same names: no second list of them.

import type { MetricObjectWithValues, MetricValue } from "prom-client";

/** The JSON form of a value: 64-bit integers are strings. */
type OtlpValue = { stringValue: string } | { doubleValue: number } | { boolValue: boolean };

const SEND_MS = 5000;

export async function postOtlp(url: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`${url.replace(/\/+$/, "")}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...otlpHeaders(process.env["OTEL_EXPORTER_OTLP_HEADERS"]),
    },
    body: JSON.stringify(body),
    redirect: "error",
    signal: AbortSignal.timeout(SEND_MS),
  });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the collector answered ${answer.status} to ${path}`);
}

/** `name=value,name=value`, as OpenTelemetry writes it. */
export function otlpHeaders(text = ""): Record<string, string> {
  return Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=");
      if (at <= 0) return [];
      const value = pair.slice(at + 1).trim();
      return [[pair.slice(0, at).trim(), decodeURIComponent(value)]];
    }),
  );
}

export const resourceOf = (version: string) => ({
  attributes: attributesOf({
    "service.name": process.env["OTEL_SERVICE_NAME"] || "agent-os",
    "service.version": version,
  }),
});

export const scopeOf = (version: string) => ({ name: "agent-os", version });

export const attributesOf = (members: Readonly<Record<string, unknown>>) =>
  Object.entries(members).map(([key, value]) => ({ key, value: valueOf(value) }));

function valueOf(value: unknown): OtlpValue {
  if (typeof value === "number") return { doubleValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return { stringValue: typeof value === "string" ? value : JSON.stringify(value) };
}

const nanos = (ms: number): string => `${Math.floor(ms)}000000`;

/** pino's levels as severity numbers. */
const severityOf = (level: number): { severityNumber: number; severityText: string } => {
  if (level >= 60) return { severityNumber: 21, severityText: "FATAL" };
  if (level >= 50) return { severityNumber: 17, severityText: "ERROR" };
  if (level >= 40) return { severityNumber: 13, severityText: "WARN" };
  if (level >= 30) return { severityNumber: 9, severityText: "INFO" };
  return level >= 20
    ? { severityNumber: 5, severityText: "DEBUG" }
    : { severityNumber: 1, severityText: "TRACE" };
};

/** A line of the log, as it was written: scrubbed. */
export function otlpLog(line: string): object {
  const {
    level = 30,
    time,
    msg = "",
    ...rest
  } = JSON.parse(line) as Record<string, unknown> & {
    level?: number;
    time?: string;
    msg?: string;
  };
  const at = nanos(time === undefined ? Date.now() : Date.parse(time));
  return {
    timeUnixNano: at,
    observedTimeUnixNano: at,
    ...severityOf(level),
    body: { stringValue: msg },
    attributes: attributesOf(rest),
  };
}

export const otlpLogs = (records: readonly object[], version: string): object => ({
  resourceLogs: [
    {
      resource: resourceOf(version),
      scopeLogs: [{ scope: scopeOf(version), logRecords: records }],
    },
  ],
});

/** OTLP-JSON-1. */
export function otlpMetrics(
  metrics: readonly MetricObjectWithValues<MetricValue<string>>[],
  { version, startedMs, nowMs }: { version: string; startedMs: number; nowMs: number },
): object {
  const times = { startTimeUnixNano: nanos(startedMs), timeUnixNano: nanos(nowMs) };
  const points = (values: readonly MetricValue<string>[]) =>
    values.map(({ labels, value }) => ({
      attributes: attributesOf(labels),
      ...times,
      asDouble: value,
    }));
  const shaped = metrics.flatMap(({ name, help, type, values }): object[] => {
    const named = { name, description: help };
    // prom-client's numbers for types are not exported as values; its words are.
    switch (String(type)) {
      case "counter":
        return [
          {
            ...named,
            sum: { dataPoints: points(values), aggregationTemporality: 2, isMonotonic: true },
          },
        ];
      case "gauge":
        return [{ ...named, gauge: { dataPoints: points(values) } }];
      case "histogram":
        return [
          {
            ...named,
            histogram: { dataPoints: histograms(values, times), aggregationTemporality: 2 },
          },
        ];
      default:
        return [];
    }
  });
  return {
    resourceMetrics: [
      {
        resource: resourceOf(version),
        scopeMetrics: [{ scope: scopeOf(version), metrics: shaped }],
      },
    ],
  };
}

/** prom-client has a row for each bucket, cumulative, and one each for sum and count. */
function histograms(values: readonly MetricValue<string>[], times: object): object[] {
  const series = new Map<
    string,
    { labels: object; rows: [le: string, count: number][]; sum: number; count: number }
  >();
  for (const { labels, value, ...rest } of values) {
    const { le, ...own } = labels as Record<string, string | number>;
    const key = JSON.stringify(own);
    const one = series.get(key) ?? { labels: own, rows: [], sum: 0, count: 0 };
    series.set(key, one);
    const part = (rest as { metricName?: string }).metricName ?? "";
    if (part.endsWith("_sum")) one.sum = value;
    else if (part.endsWith("_count")) one.count = value;
    else if (le !== undefined) one.rows.push([String(le), value]);
  }
  return [...series.values()].map(({ labels, rows, sum, count }) => ({
    attributes: attributesOf(labels as Record<string, unknown>),
    ...times,
    count: String(count),
    sum,
    explicitBounds: rows.filter(([le]) => le !== "+Inf").map(([le]) => Number(le)),
    bucketCounts: rows.map(([, total], nth) => String(total - (rows[nth - 1]?.[1] ?? 0))),
  }));
}
