// Operations of the daemon: status, configuration, checks, and the identity of the caller.

import { z } from "zod";
import { sandboxParts, type SandboxPart } from "../doctor.ts";
import { operation, type ReportOf } from "./operation.ts";
import { processState } from "./process.ts";
import { count, jsonValue, moment, named } from "./response-fields.ts";

const statusReport = named(
  "StatusReport",
  z.strictObject({
    daemon: z.strictObject({ pid: count, version: z.string(), startedAt: moment }),
    url: z.string().nullable().describe("Null while it listens on its socket only."),
    socket: z.string(),
    home: z.string(),
    store: z.string(),
    node: z.string(),
    loaded: count.describe("Processes in memory; the others are rows."),
    states: z.partialRecord(processState, count),
    trouble: z.string().exactOptional().describe("The faults of the store."),
  }),
);
export type StatusReport = ReportOf<typeof statusReport>;

/** Who answers on a socket; also what `$AOS_HOME/daemon.json` says. */
export interface DaemonInfo {
  readonly pid: number;
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly socket: string;
  /** The HTTP address; null before there is one, and where there is only the socket. */
  readonly url: string | null;
}

const settingSources = ["default", "file", "environment", "flag"] as const;
export type SettingSource = (typeof settingSources)[number];

const setting = named(
  "SettingReport",
  z.strictObject({
    name: z.string().describe("As in config.yaml, with dots."),
    /** As one would write it; null where nothing is set and nothing is meant. */
    value: jsonValue,
    source: z.enum(settingSources),
    where: z.string().nullable().describe("File and line, the variable, or the flag."),
    hot: z.boolean().describe("Whether a change of the file counts without a restart."),
    next: jsonValue.describe("The value after the next start.").exactOptional(),
  }),
);
export type SettingReport = ReportOf<typeof setting>;

const configReport = named(
  "ConfigReport",
  z.strictObject({
    home: z.string(),
    file: z.string(),
    settings: z.array(setting),
    problem: z.string().describe("The error in the present file.").exactOptional(),
  }),
);
export type ConfigReport = ReportOf<typeof configReport>;

const part = z.enum(sandboxParts);

const doctorReport = named(
  "DoctorReport",
  z.strictObject({
    /** Every check is that is not optional. What is absent from the sandbox is said, and is no failure. */
    ok: z.boolean(),
    checks: z.array(
      z.strictObject({
        name: z.string(),
        ok: z.boolean(),
        detail: z.string(),
        hint: z.string().exactOptional(),
        /** Something works without it: a report can be `ok` while this is not. */
        isOptional: z.literal(true).exactOptional(),
        /** A program that is missing: a row of helper-programs.ts, or bubblewrap. */
        program: z.string().exactOptional(),
      }),
    ),
    sandbox: z.record(part, z.enum(["enforced", "advisory", "absent"])),
    /** What holds each part: `cgroup v1`, `seccomp`. */
    mechanisms: z.record(part, z.string()),
  }),
);
export type DoctorReport = ReportOf<typeof doctorReport>;

/** How far the operating system holds a process to something. */
export type Hold = DoctorReport["sandbox"][SandboxPart];
export type DoctorCheck = DoctorReport["checks"][number];

const attackTried = named(
  "AttackTried",
  z.strictObject({
    attack: z.strictObject({
      id: z.string(),
      name: z.string(),
      group: z.string(),
      outcome: z.enum(["stopped", "got-through", "skipped"]),
      detail: z.string(),
    }),
    number: count,
    of: count,
  }),
);
export type AttemptedAttack = ReportOf<typeof attackTried>;

export type Attack = AttemptedAttack["attack"];

export interface AttackReport {
  readonly attacks: readonly Attack[];
  readonly gotThrough: number;
}

export const daemonOperations = {
  status: operation({
    method: "GET",
    path: "/status",
    summary: "Show whether the daemon is up, and its state.",
    role: "viewer",
    reach: "tenant",
    response: statusReport,
  }),

  shutdown: operation({
    method: "POST",
    path: "/shutdown",
    summary: "Stop the daemon.",
    role: "operator",
    reach: "machine",
    response: z.strictObject({ stopping: z.literal(true) }),
  }),

  config: operation({
    method: "GET",
    path: "/config",
    summary: "Print every setting, its value and its source.",
    role: "operator",
    reach: "machine",
    response: configReport,
  }),

  doctor: operation({
    method: "GET",
    path: "/doctor",
    summary: "Check the daemon, its home, its sandbox and its policy.",
    role: "viewer",
    reach: "machine",
    reportsProgress: true,
    response: doctorReport,
  }),

  attack: operation({
    method: "POST",
    path: "/doctor/attack",
    summary: "Run the built-in attacks against the live configuration, one result a line.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({
      /** Letters of groups, and ids of attacks; all unless said. */
      only: z.array(z.string().max(20)).min(1).max(1000).optional(),
    }),
    streams: true,
    response: attackTried,
  }),
} as const;
