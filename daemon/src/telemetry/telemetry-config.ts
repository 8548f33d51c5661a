// The telemetry settings of config.yaml. Nothing leaves the daemon unless the operator names a destination.

import { isAbsolute } from "node:path";
import { z } from "zod";

/** Where OTLP is taken over HTTP; `/v1/traces` and the like are added to it. */
export const otlpUrl = z.url({ protocol: /^https?$/ });

const signals = ["traces", "metrics", "logs"] as const;
const eventClasses = ["api", "authorization", "finding"] as const;

const syslogAddress = z.string().refine((text) => {
  if (text.startsWith("unix:")) return isAbsolute(text.slice("unix:".length));
  const url = URL.parse(text);
  return url !== null && /^(?:udp|tcp):$/.test(url.protocol) && url.hostname !== "";
}, "a syslog server is udp://HOST:PORT, tcp://HOST:PORT or unix:/PATH of a stream socket");

const ocsf = z
  .strictObject({
    file: z.string().refine(isAbsolute, "the file of events needs an absolute path").optional(),
    syslog: syslogAddress.optional(),
    classes: z
      .array(z.enum(eventClasses))
      .min(1)
      .default([...eventClasses]),
  })
  .refine(
    ({ file, syslog }) => (file === undefined) !== (syslog === undefined),
    "events go to a file or to syslog: name one of them",
  );

export const telemetrySection = {
  telemetry: z
    .strictObject({
      otlp: otlpUrl.optional(),
      /** What is sent there. */
      signals: z.array(z.enum(signals)).default(["traces"]),
      /** Whether what was said to models and tools goes along. */
      content: z.boolean().default(false),
      ocsf: ocsf.optional(),
    })
    .default({ signals: ["traces"], content: false }),
};

export type TelemetryConfig = z.output<typeof telemetrySection.telemetry>;
