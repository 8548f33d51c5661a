// Config overrides: settings from environment variables, and from flags, which win.
//
// CONFIG-OVERRIDES-1  An invalid variable is an error that names it; no message contains the text of a secret.

import { SysError } from "@aos/protocol";
import { z } from "zod";
import { HTTP_VARIABLE } from "./http-config.ts";
import { logFormats } from "./log.ts";
import { otlpUrl } from "./telemetry/telemetry-config.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export const logLevels = ["trace", "debug", "info", "warn", "error"] as const;

export const databaseUrl = z
  .string()
  .regex(
    /^postgres(ql)?:\/\//,
    "the database must be a postgres:// URL; omit it to use SQLite in the home",
  );

export const natsUrl = z
  .string()
  .regex(
    /^(?:nats|tls):\/\/(?:[^:@/\s]+:[^:@/\s]+@)?[^@/\s]+$/,
    "the address of NATS must be nats://HOST:PORT, or tls://, with USER:PASSWORD@ before HOST if needed",
  );

const key = z
  .string()
  .refine(
    isKey,
    "the key must be 32 bytes in hex or base64; create one with `openssl rand -hex 32`",
  );

/** What can be given: by which variable, by which flag, and what it must be. */
const rows = {
  database: { variable: "AOS_DATABASE_URL", schema: databaseUrl },
  nats: { variable: "AOS_NATS_URL", schema: natsUrl },
  http: { variable: "AOS_HTTP", flag: "--http", schema: HTTP_VARIABLE },
  "log.level": { variable: "AOS_LOG_LEVEL", flag: "--log-level", schema: z.enum(logLevels) },
  "log.format": { variable: "AOS_LOG_FORMAT", flag: "--log-format", schema: z.enum(logFormats) },
  "telemetry.otlp": { variable: "OTEL_EXPORTER_OTLP_ENDPOINT", schema: otlpUrl },
  /** Of the environment only: no file that is copied about should have it. */
  secretKey: { variable: "AOS_SECRET_KEY", schema: key },
} as const satisfies Record<string, { variable: string; flag?: string; schema: z.ZodType }>;

type Rows = typeof rows;
export type OverrideName = keyof Rows;

interface Got<Value> {
  readonly value: Value;
  readonly source: "environment" | "flag";
  /** The variable or the flag. */
  readonly where: string;
}

export type ConfigOverrides = {
  readonly [Name in OverrideName]?: Got<z.output<Rows[Name]["schema"]>>;
};

/** `flags` are words as they are given to the daemon: `--log-level=debug`. */
export function readOverrides(env: Environment, flags: readonly string[] = []): ConfigOverrides {
  const given: Record<string, Got<unknown>> = {};
  for (const [name, row] of Object.entries(rows)) {
    const { variable, flag, schema } = { flag: undefined, ...row };
    const word =
      flag === undefined ? undefined : flags.findLast((one) => one.startsWith(`${flag}=`));
    if (word !== undefined)
      given[name] = {
        value: read(schema, word.slice(flag!.length + 1), flag!),
        source: "flag",
        where: flag!,
      };
    else if (env[variable]) {
      const value = read(schema, env[variable], `${variable} in the environment`);
      given[name] = { value, source: "environment", where: variable };
    }
  }
  return given as ConfigOverrides;
}

/** CONFIG-OVERRIDES-1. */
function read(schema: z.ZodType, text: string, where: string): unknown {
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new SysError("EINVAL", `${where}: ${parsed.error.issues[0]?.message}`);
}

function isKey(text: string): boolean {
  const written = text.trim();
  if (/^[0-9a-f]{64}$/i.test(written)) return true;
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(written);
}
