import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { otlpHeaders, otlpLog, otlpMetrics } from "./otlp-json.ts";

test("a line of the log is a log record with its severity", () => {
  const line = '{"level":40,"time":"2023-11-14T22:13:20.000Z","pid":7,"msg":"careful"}\n';

  expect(otlpLog(line)).toMatchObject({
    timeUnixNano: "1700000000000000000",
    severityNumber: 13,
    severityText: "WARN",
    body: { stringValue: "careful" },
    attributes: [{ key: "pid", value: { doubleValue: 7 } }],
  });
});

test("OTLP-JSON-1: counters are sums, gauges gauges, and histograms have their buckets one by one", async () => {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: "c_total", help: "C.", labelNames: ["k"], registers }).inc({ k: "x" }, 3);
  new Gauge({ name: "g", help: "G.", registers }).set(2);
  const histogram = new Histogram({ name: "h", help: "H.", buckets: [1, 2], registers });
  for (const value of [0.5, 1.5, 1.6, 9]) histogram.observe(value);

  const sent = otlpMetrics(await registry.getMetricsAsJSON(), {
    version: "0",
    startedMs: 1,
    nowMs: 2,
  });

  const times = { startTimeUnixNano: "1000000", timeUnixNano: "2000000" };
  expect(sent).toMatchObject({
    resourceMetrics: [
      {
        scopeMetrics: [
          {
            metrics: [
              {
                name: "c_total",
                sum: {
                  isMonotonic: true,
                  aggregationTemporality: 2,
                  dataPoints: [
                    {
                      ...times,
                      asDouble: 3,
                      attributes: [{ key: "k", value: { stringValue: "x" } }],
                    },
                  ],
                },
              },
              { name: "g", gauge: { dataPoints: [{ asDouble: 2 }] } },
              {
                name: "h",
                histogram: {
                  dataPoints: [
                    {
                      count: "4",
                      sum: 12.6,
                      explicitBounds: [1, 2],
                      bucketCounts: ["1", "2", "1"],
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
  });
});

test("headers are read as OpenTelemetry writes them", () => {
  expect(otlpHeaders("authorization=Bearer%20x, a=b=c,broken")).toEqual({
    authorization: "Bearer x",
    a: "b=c",
  });
});
