// What config.yaml says of traces. None are made unless somebody says where they go.

import { z } from "zod";

/** Where OTLP is taken over HTTP; `/v1/traces` is added to it. */
export const otlpUrl = z.url({ protocol: /^https?$/ });

export const telemetrySection = {
  telemetry: z
    .strictObject({
      otlp: otlpUrl.optional(),
      /** Whether what was said to models and tools goes along. */
      content: z.boolean().default(false),
    })
    .default({ content: false }),
};

export type TraceConfig = z.output<typeof telemetrySection.telemetry>;
