// Config: what the operator chose. Built-in defaults, then $AOS_HOME/config.yaml, then the environment.
//
// G1  An unknown key is an error that names file, line and field; a typo never means "default".

import { dirname } from "node:path";
import { sandboxParts, SysError } from "@aos/protocol";
import type { KernelOptions } from "@aos/kernel";
import { z } from "zod";
import {
  bytes as someBytes,
  count as someCount,
  duration as someDuration,
} from "./config-fields.ts";
import { configText } from "./config-text.ts";
import type { Home } from "./home.ts";
import { HTTP_VARIABLE, httpConfigOf, httpSection } from "./http-config.ts";
import { complaintsAboutModels, modelSections, moneyOptionsOf } from "./model-config.ts";
import { present } from "./present.ts";
import type { WorkshopOptions } from "./workshop.ts";
import { readYaml } from "./yaml-file.ts";

const count = someCount.optional();
const bytes = someBytes.optional();
const duration = someDuration.optional();

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
  policy: z
    .strictObject({
      /** Whether the policy that ships is in force. */
      default: z.boolean().default(true),
      /** More files, relative to the home. */
      files: z.array(z.string().min(1)).default([]),
    })
    .default({ default: true, files: [] }),
  approvals: z
    .strictObject({
      expires: duration,
      perHour: count,
      openPerProcess: count,
      channels: z
        .record(
          z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "a channel is named with a-z 0-9 . _ -"),
          z.strictObject({
            people: z.array(z.string().min(1).max(100)).min(1, "a channel has people"),
            quorum: z.number().int().min(1).max(100).optional(),
          }),
        )
        .optional(),
    })
    .default({}),
  /** What programs run in. */
  sandbox: z
    .strictObject({
      level: z.enum(["process", "none"]).optional(),
      /** Parts that must be enforced, else nothing runs. */
      require: z.array(z.enum(sandboxParts)).optional(),
      limits: z
        .strictObject({
          wall: duration,
          cpu: duration,
          memory: bytes,
          processes: count,
          openFiles: count,
          fileSize: bytes,
          output: bytes,
          disk: bytes,
        })
        .default({}),
      /** More paths of the machine that every program sees, to read. */
      system: z.array(z.string().startsWith("/")).optional(),
    })
    .default({ limits: {} }),
  ...modelSections,
  ...httpSection,
  workspaces: z.strictObject({ ttl: duration, maxBytes: bytes }).default({}),
  log: z.strictObject({ level: z.enum(logLevels).default("info") }).default({ level: "info" }),
});

export type Config = z.output<typeof configSchema> & {
  /** Of the environment only: no file that is copied about should have it. */
  readonly secretKey?: string;
};

const environmentSchema = z.object({
  AOS_DATABASE_URL: configSchema.shape.database,
  AOS_LOG_LEVEL: z.enum(logLevels).optional(),
  AOS_HTTP: HTTP_VARIABLE,
  AOS_SECRET_KEY: z
    .string()
    .refine(isKey, "a key is 32 bytes in hex or base64; `openssl rand -hex 32` makes one")
    .optional(),
});

/** The text itself is in no message. */
function isKey(text: string): boolean {
  const written = text.trim();
  if (/^[0-9a-f]{64}$/i.test(written)) return true;
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(written);
}

/** Throws what is wrong with a config.yaml. */
export const checkConfigText = (text: string, file: string) =>
  readYaml(text, file, configSchema, complaintsAboutModels).read;

export function readConfig(home: Home, env: Readonly<Record<string, string | undefined>>): Config {
  const written = checkConfigText(configText(home.config), home.config);
  const given = readEnvironment(env);
  return {
    ...written,
    ...present({ database: given.AOS_DATABASE_URL, secretKey: given.AOS_SECRET_KEY }),
    http: httpConfigOf(written.http, given.AOS_HTTP),
    log: { level: given.AOS_LOG_LEVEL ?? written.log.level },
  };
}

/** The kernel's options that the configuration decides. */
export function kernelOptionsOf(config: Config, home: Home): KernelOptions {
  const { maxAge, maxRuns, maxBytes } = config.retention;
  const { expires, perHour, openPerProcess, channels } = config.approvals;
  const { secretKey } = config;
  return {
    store: config.database === undefined ? { file: home.database } : { url: config.database },
    auditFolder: home.audit,
    keyFile: home.key,
    limits: present(config.limits),
    ...moneyOptionsOf(config),
    retention: present({ maxAgeMs: maxAge, maxRuns, maxBytes }),
    approvals: {
      ...present({ expiresMs: expires, perHour, openPerProcess }),
      ...(channels === undefined ? {} : { channels: channelsOf(channels) }),
    },
    ...(secretKey === undefined ? { secretKeyFile: home.secretKey } : { secretKey }),
    ...present({
      unloadAfterMs: config.unloadAfter,
      durability: config.durability,
      leaseMs: config.lease,
    }),
  };
}

/** What the configuration says of where programs run. */
export function workshopOptionsOf(config: Config, home: Home): WorkshopOptions {
  const { level, require, limits, system } = config.sandbox;
  const { wall, cpu, memory, processes, openFiles, fileSize, output, disk } = limits;
  return {
    sandbox: present({
      level,
      require,
      system,
      limits: present({
        wallMs: wall,
        cpuMs: cpu,
        memoryBytes: memory,
        processes,
        openFiles,
        fileBytes: fileSize,
        outputBytes: output,
        diskBytes: disk,
      }),
    }),
    workspaces: {
      folder: home.work,
      ...present({ ttlMs: config.workspaces.ttl, maxBytes: config.workspaces.maxBytes }),
    },
    private: [home.folder, dirname(home.socket)],
  };
}

type Channels = NonNullable<Config["approvals"]["channels"]>;

const channelsOf = (channels: Channels) =>
  Object.fromEntries(
    Object.entries(channels).map(([name, { people, quorum }]) => [
      name,
      { people, ...present({ quorum }) },
    ]),
  );

function readEnvironment(env: Readonly<Record<string, string | undefined>>) {
  const named = Object.entries(env).filter(([name, value]) => name.startsWith("AOS_") && value);
  const parsed = environmentSchema.safeParse(Object.fromEntries(named));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SysError("EINVAL", `${String(issue?.path[0])} in the environment: ${issue?.message}`);
}
