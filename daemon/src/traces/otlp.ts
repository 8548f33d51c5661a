// Otlp: spans on their way to a collector, by OpenTelemetry's own exporter. Loaded when traces are wanted.
//
// OTLP-1  A collector that is slow or gone costs spans and nothing else: what waits for it has a bound.

import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from "@opentelemetry/sdk-trace";
import type { SpanDraft } from "./span-draft.ts";

const QUEUE = 8192;
const EVERY_MS = 1000;
const EXPORT_MS = 5000;
/** How long the last ones have when the daemon stops. */
const LAST_MS = 2000;

const kinds = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

export class Otlp {
  readonly #provider: TracerProvider;
  readonly #tracer: ReturnType<TracerProvider["getTracer"]>;
  /** The ids of the span that is being made: it is made in one go. */
  #next: Pick<SpanDraft, "trace" | "id"> = { trace: "", id: "" };

  constructor(options: { url: string; version: string; onTrouble: (error: unknown) => void }) {
    const exporter: SpanExporter = new OTLPTraceExporter({
      url: `${options.url.replace(/\/+$/, "")}/v1/traces`,
      timeoutMillis: EXPORT_MS,
    });
    this.#provider = new TracerProvider({
      resource: defaultResource().merge(
        resourceFromAttributes({
          "service.name": process.env["OTEL_SERVICE_NAME"] || "agent-os",
          "service.version": options.version,
        }),
      ),
      idGenerator: {
        generateTraceId: () => this.#next.trace,
        generateSpanId: () => this.#next.id,
      },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: telling(exporter, options.onTrouble),
          maxQueueSize: QUEUE, // OTLP-1
          scheduledDelayMillis: EVERY_MS,
          exportTimeoutMillis: EXPORT_MS,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer("agent-os", options.version);
  }

  add(draft: SpanDraft): void {
    this.#next = draft;
    const { trace: traceId, parent } = draft;
    const above =
      parent === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            traceId,
            spanId: parent,
            traceFlags: TraceFlags.SAMPLED,
          });
    const attributes = {
      ...draft.attributes,
      ...(draft.failure === undefined ? {} : { "error.type": draft.failure }),
    };
    const request = { kind: kinds[draft.kind], startTime: draft.startMs, attributes };
    const span = this.#tracer.startSpan(draft.name, request, above);
    if (draft.failure !== undefined)
      span.setStatus({ code: SpanStatusCode.ERROR, message: draft.failure });
    span.end(draft.endMs);
  }

  async close(): Promise<void> {
    const late = new Promise<void>((resolve) => void setTimeout(resolve, LAST_MS).unref());
    await Promise.race([this.#provider.shutdown().catch(() => {}), late]); // OTLP-1
  }
}

/** The same, and says when it could not send. */
function telling(exporter: SpanExporter, onTrouble: (error: unknown) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) onTrouble(result.error);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
