// Config: what the operator chose. Built-in defaults, then $AOS_HOME/config.yaml, then the environment.
//
// G1  An unknown key is an error that names file, line and field; a typo never means "default".

import { readFileSync } from "node:fs";
import { readBytes, readCount, readDurationMs, SysError } from "@aos/protocol";
import type { KernelOptions } from "@aos/kernel";
import { z } from "zod";
import type { Home } from "./home.ts";
import { present } from "./present.ts";
import { readYaml } from "./yaml-file.ts";

const quantity = (read: (text: string | number) => number) =>
  z.union([z.string(), z.number()]).transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
      return z.NEVER;
    }
  });

const count = quantity(readCount).optional();
const bytes = quantity(readBytes).optional();
const duration = quantity(readDurationMs).optional();

export const logLevels = ["trace", "debug", "info", "warn", "error"] as const;

export const configSchema = z.strictObject({
  database: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "a database is postgres://…; leave it out for SQLite in the home")
    .optional(),
  limits: z
    .strictObject({
      spawnDepth: count,
      treeProcesses: count,
      mailboxDepth: count,
      pendingCalls: count,
      argumentBytes: bytes,
    })
    .default({}),
  retention: z.strictObject({ maxAge: duration, maxRuns: count, maxBytes: bytes }).default({}),
  unloadAfter: duration,
  lease: duration,
  durability: z.enum(["visible", "every-call"]).optional(),
  log: z.strictObject({ level: z.enum(logLevels).default("info") }).default({ level: "info" }),
});

export type Config = z.output<typeof configSchema>;

const environmentSchema = z.object({
  AOS_DATABASE_URL: configSchema.shape.database,
  AOS_LOG_LEVEL: z.enum(logLevels).optional(),
});

export function readConfig(home: Home, env: Readonly<Record<string, string | undefined>>): Config {
  const written = readYaml(textOf(home.config), home.config, configSchema).read;
  const given = readEnvironment(env);
  return {
    ...written,
    ...present({ database: given.AOS_DATABASE_URL }),
    log: { level: given.AOS_LOG_LEVEL ?? written.log.level },
  };
}

/** The kernel's options that the configuration decides. */
export function kernelOptionsOf(config: Config, home: Home): KernelOptions {
  const { maxAge, maxRuns, maxBytes } = config.retention;
  return {
    store: config.database === undefined ? { file: home.database } : { url: config.database },
    auditFolder: home.audit,
    keyFile: home.key,
    limits: present(config.limits),
    retention: present({ maxAgeMs: maxAge, maxRuns, maxBytes }),
    ...present({
      unloadAfterMs: config.unloadAfter,
      durability: config.durability,
      leaseMs: config.lease,
    }),
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new SysError("EINVAL", `cannot read ${file}: ${(error as Error).message}`);
  }
}

function readEnvironment(env: Readonly<Record<string, string | undefined>>) {
  const named = Object.entries(env).filter(([name, value]) => name.startsWith("AOS_") && value);
  const parsed = environmentSchema.safeParse(Object.fromEntries(named));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SysError("EINVAL", `${String(issue?.path[0])} in the environment: ${issue?.message}`);
}
