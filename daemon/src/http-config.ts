// The network settings of config.yaml and AOS_HTTP: address, host names, limits per caller.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { SysError } from "@aos/protocol";
import { z } from "zod";
import { some } from "./config-fields.ts";

export const DEFAULT_PORT = 4040;
const DEFAULT_STREAMS = 100;
export const DEFAULT_HOST = "127.0.0.1";

const hostName = z
  .string()
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, "a host must be a name without a port");

export const httpSection = {
  http: z
    .strictObject({
      /** False: the socket only. */
      enabled: z.boolean().default(true),
      host: z.string().min(1).default(DEFAULT_HOST),
      /** The next free one from 4040 on, unless said; 0 for any. */
      port: z.number().int().min(0).max(65_535).optional(),
      tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).optional(),
      /** More names that it is called by, beside its addresses and localhost. */
      hosts: z.array(hostName).default([]),
      /** What one caller may ask: so many a second, and so many at once. */
      rate: z
        .strictObject({ perSecond: some.default(100), burst: some.default(4000) })
        .default({ perSecond: 100, burst: 4000 }),
      /** Event streams that one caller has open at once. */
      streams: some.default(DEFAULT_STREAMS),
    })
    .default({
      enabled: true,
      host: DEFAULT_HOST,
      hosts: [],
      rate: { perSecond: 100, burst: 4000 },
      streams: DEFAULT_STREAMS,
    }),
};

export type HttpConfig = z.output<typeof httpSection.http>;

export const HTTP_VARIABLE = z
  .string()
  .regex(
    /^(off|(\[[0-9a-fA-F:]+\]|[^:\s[\]]+):\d{1,5})$/,
    "expected off, or HOST:PORT, e.g. 127.0.0.1:4040",
  )
  .refine((text) => text === "off" || Number(text.slice(text.lastIndexOf(":") + 1)) <= 65_535, {
    message: "a port is at most 65535",
  });

/** The file's, as the environment changes it. */
export function httpConfigOf(written: HttpConfig, variable: string | undefined): HttpConfig {
  if (variable === undefined) return written;
  if (variable === "off") return { ...written, enabled: false };
  const colon = variable.lastIndexOf(":");
  return {
    ...written,
    enabled: true,
    host: variable.slice(0, colon).replace(/^\[|\]$/g, ""),
    port: Number(variable.slice(colon + 1)),
  };
}

/** Reads certificate and key; paths are relative to the home. */
export function readTls(
  { tls }: HttpConfig,
  homeFolder: string,
): { cert: string; key: string } | undefined {
  if (tls === undefined) return undefined;
  const read = (file: string) => {
    try {
      return readFileSync(resolve(homeFolder, file), "utf8");
    } catch (error) {
      throw new SysError("EINVAL", `http.tls: cannot read ${file}: ${(error as Error).message}`);
    }
  };
  return { cert: read(tls.cert), key: read(tls.key) };
}
