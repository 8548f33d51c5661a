// Config: the operator's settings: built-in defaults, then the file that AOS_CONFIG names, then $AOS_HOME/config.yaml,
// then the environment, then flags.
//
// CONFIG-1  An unknown key is an error that names file, line and field; a typo never means "default".

import { dirname, resolve } from "node:path";
import { natsHints } from "@aos/drivers";
import { sandboxParts, SysError } from "@aos/protocol";
import type { KernelOptions } from "@aos/kernel";
import { z } from "zod";
import {
  bytesField as someBytes,
  countField as someCount,
  durationField as someDuration,
} from "./config-fields.ts";
import {
  databaseUrl,
  natsUrl,
  logLevels,
  readOverrides,
  type Environment,
  type ConfigOverrides,
} from "./config-overrides.ts";
import { configLayers } from "./config-text.ts";
import { goalSection } from "./goals/goal-config.ts";
import type { Home } from "./home.ts";
import { httpConfigOf, httpSection } from "./http-config.ts";
import { logFormats } from "./log.ts";
import { modelConfigProblems, modelSections, moneyOptionsOf } from "./model-config.ts";
import { mountSection } from "./mount-config.ts";
import { notifySection } from "./notify/notify-config.ts";
import { omitUndefined } from "./omit-undefined.ts";
import { tenantSection, tenantsOf } from "./tenant-config.ts";
import { telemetrySection } from "./telemetry/telemetry-config.ts";
import { socketAccess } from "./socket.ts";
import type { ProgramRunnerOptions } from "./program-runner-setup.ts";
import { readWritten } from "./yaml-file.ts";
import { parseLayers, type YamlText } from "./yaml-layers.ts";

const count = someCount.optional();
const bytes = someBytes.optional();
const duration = someDuration.optional();

export const DEFAULT_DRAIN_MS = 10_000;
const LEAST_TIDYING_MS = 60_000;

export const configSchema = z.strictObject({
  database: databaseUrl.optional(),
  nats: natsUrl.optional(),
  /** Who may open the socket: its owner, or its group as well. */
  socket: z
    .strictObject({ access: z.enum(socketAccess).default("owner") })
    .default({ access: "owner" }),
  limits: z
    .strictObject({
      spawnDepth: count,
      treeProcesses: count,
      mailboxDepth: count,
      deadLetters: count,
      deadLetterAge: duration,
      pendingCalls: count,
      argumentBytes: bytes,
      spaceBytes: bytes,
      spaceFiles: count,
      memoryBytes: bytes,
      memoryFiles: count,
    })
    .default({}),
  retention: z
    .strictObject({
      maxAge: duration,
      maxRuns: count,
      maxBytes: bytes,
      maxResults: count,
      /** A folder that runs go to as bundles, in place of compaction; relative to the home. */
      archive: z.string().min(1).max(4096).optional(),
    })
    .default({}),
  /** Copies of the database from before newer releases changed it. */
  backups: z.strictObject({ keep: someCount.default(3) }).default({ keep: 3 }),
  unloadAfter: duration,
  lease: duration,
  durability: z.enum(["visible", "every-call"]).optional(),
  /** How long calls that are under way have to end when the daemon is stopped. */
  drain: someDuration.default(DEFAULT_DRAIN_MS),
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
  /** What other programs may do over MCP, beside what their tokens allow. */
  mcp: z.strictObject({ approve: z.boolean().default(false) }).default({ approve: false }),
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
          files: count,
        })
        .default({}),
      /** More paths of the machine that every program sees, to read. */
      system: z.array(z.string().startsWith("/")).optional(),
    })
    .default({ limits: {} }),
  ...modelSections,
  ...httpSection,
  ...tenantSection,
  ...mountSection,
  ...goalSection,
  /** How often the memory of agents is tidied, and what goes. */
  tidy: z
    .strictObject({
      every: someDuration.refine((ms) => ms >= LEAST_TIDYING_MS, "expected 1m or more").optional(),
      olderThan: duration,
      maxAge: duration,
      maxRows: count,
    })
    .refine((tidy) => tidy.every !== undefined || Object.keys(tidy).length === 0, "needs `every`")
    .default({}),
  ...notifySection,
  workspaces: z.strictObject({ ttl: duration, maxBytes: bytes }).default({}),
  log: z
    .strictObject({
      level: z.enum(logLevels).default("info"),
      format: z.enum(logFormats).default("auto"),
    })
    .default({ level: "info", format: "auto" }),
  ...telemetrySection,
});

export type Config = z.output<typeof configSchema> & {
  /** Of the environment only: no file that is copied about should have it. */
  readonly secretKey?: string;
};

/** Throws what is wrong with a config.yaml. */
export const checkConfigText = (text: string, file: string) => checkConfigLayers([{ text, file }]);

export const checkConfigLayers = (layers: readonly YamlText[]) =>
  readWritten(parseLayers(layers), configSchema, modelConfigProblems).read;

export function readConfig(home: Home, env: Environment, flags: readonly string[] = []): Config {
  const written = checkConfigLayers(configLayers(home));
  return withOverrides(written, readOverrides(env, flags));
}

/** The file's, as environment and flags change it. */
export function withOverrides(
  written: z.output<typeof configSchema>,
  given: ConfigOverrides,
): Config {
  const otlp = given["telemetry.otlp"]?.value;
  return {
    ...written,
    ...omitUndefined({
      database: given.database?.value,
      nats: given.nats?.value,
      secretKey: given.secretKey?.value,
    }),
    http: httpConfigOf(written.http, given.http?.value),
    log: {
      level: given["log.level"]?.value ?? written.log.level,
      format: given["log.format"]?.value ?? written.log.format,
    },
    telemetry: { ...written.telemetry, ...omitUndefined({ otlp }) },
  };
}

function storeOf({ database, nats }: Config, home: Home): NonNullable<KernelOptions["store"]> {
  if (database !== undefined)
    return {
      url: database,
      ...(nats === undefined ? {} : { hints: natsHints(nats, subjectOf(database)) }),
    };
  if (nats === undefined) return { file: home.database };
  throw new SysError("EINVAL", "`nats` carries hints between nodes on PostgreSQL", {
    hint: "set `database` as well, or leave out `nats`",
  });
}

/** Nodes of other databases on the same server are not heard. */
const subjectOf = (database: string): string =>
  `aos.wake.${new URL(database).pathname.slice(1).replaceAll(/[^\w-]/g, "_") || "default"}`;

/** The kernel's options that the configuration decides. */
export function kernelOptionsOf(config: Config, home: Home): KernelOptions {
  const { deadLetterAge, ...counts } = config.limits;
  const { maxAge, maxRuns, maxBytes, maxResults } = config.retention;
  const { expires, perHour, openPerProcess, channels } = config.approvals;
  const { secretKey } = config;
  return {
    store: storeOf(config, home),
    auditFolder: home.audit,
    keyFile: home.key,
    limits: omitUndefined({ ...counts, deadLetterMs: deadLetterAge }),
    tenants: tenantsOf(config),
    ...moneyOptionsOf(config),
    retention: omitUndefined({ maxAgeMs: maxAge, maxRuns, maxBytes, maxResults }),
    ...tidyingOf(config),
    approvals: {
      ...omitUndefined({ expiresMs: expires, perHour, openPerProcess }),
      ...(channels === undefined ? {} : { channels: channelsOf(channels) }),
    },
    ...(secretKey === undefined ? { secretKeyFile: home.secretKey } : { secretKey }),
    ...omitUndefined({
      unloadAfterMs: config.unloadAfter,
      durability: config.durability,
      leaseMs: config.lease,
    }),
  };
}

const tidyingOf = ({ tidy }: Config): Pick<KernelOptions, "tidying"> =>
  tidy.every === undefined
    ? {}
    : {
        tidying: {
          everyMs: tidy.every,
          ...omitUndefined({
            olderThanMs: tidy.olderThan,
            maxAgeMs: tidy.maxAge,
            maxRows: tidy.maxRows,
          }),
        },
      };

/** Where runs go that leave the database. */
export const archiveFolderOf = ({ retention }: Config, home: Home): string | undefined =>
  retention.archive === undefined ? undefined : resolve(home.folder, retention.archive);

/** What no program in the sandbox sees. */
export function privateFolders(config: Config, home: Home): string[] {
  const archive = archiveFolderOf(config, home);
  return [home.folder, dirname(home.socket), ...(archive === undefined ? [] : [archive])];
}

/** What the configuration says of where programs run. */
export function programRunnerOptionsOf(config: Config, home: Home): ProgramRunnerOptions {
  const { level, require, limits, system } = config.sandbox;
  const { wall, cpu, memory, processes, openFiles, fileSize, output, disk, files } = limits;
  return {
    sandbox: omitUndefined({
      level,
      require,
      system,
      limits: omitUndefined({
        wallMs: wall,
        cpuMs: cpu,
        memoryBytes: memory,
        processes,
        openFiles,
        fileBytes: fileSize,
        outputBytes: output,
        diskBytes: disk,
        files,
      }),
    }),
    workspaces: {
      folder: home.work,
      ...omitUndefined({ ttlMs: config.workspaces.ttl, maxBytes: config.workspaces.maxBytes }),
    },
    quarantine: home.quarantine,
    private: privateFolders(config, home),
  };
}

type Channels = NonNullable<Config["approvals"]["channels"]>;

const channelsOf = (channels: Channels) =>
  Object.fromEntries(
    Object.entries(channels).map(([name, { people, quorum }]) => [
      name,
      { people, ...omitUndefined({ quorum }) },
    ]),
  );
