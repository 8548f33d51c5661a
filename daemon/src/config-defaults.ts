// The default of each setting as written in config.yaml, taken from the code that uses it. Null means none: no other
// database, no limit, no address.

import { DEFAULT_GOAL_CAPABILITIES } from "./goals/goal-manifest.ts";
import { defaultRunLimits } from "@aos/drivers";
import {
  DEFAULT_QUEUE,
  DEFAULT_TIDY_AFTER_MS,
  defaultAdmission,
  defaultApprovals,
  defaultEmbeddings,
  defaultLimits,
  defaultRetention,
  defaultTimes,
} from "@aos/kernel";
import type { Json } from "@aos/protocol";
import { configSchema } from "./config.ts";
import { DEFAULT_PORT } from "./http-config.ts";
import { defaultWorkspaces } from "./program-runner-setup.ts";

const written = configSchema.parse({});

export const configDefaults: Readonly<Record<string, Json>> = {
  database: null,
  nats: null,
  "socket.access": written.socket.access,
  "http.enabled": written.http.enabled,
  "http.host": written.http.host,
  "http.port": `the next free one from ${DEFAULT_PORT}`,
  "http.hosts": written.http.hosts,
  "http.tls.cert": null,
  "http.tls.key": null,
  "http.rate.perSecond": written.http.rate.perSecond,
  "http.rate.burst": written.http.rate.burst,
  "http.streams": written.http.streams,
  "mcp.approve": written.mcp.approve,
  "limits.spawnDepth": defaultLimits.spawnDepth,
  "limits.treeProcesses": defaultLimits.treeProcesses,
  "limits.mailboxDepth": defaultLimits.mailboxDepth,
  "limits.deadLetters": defaultLimits.deadLetters,
  "limits.deadLetterAge": duration(defaultLimits.deadLetterMs),
  "limits.pendingCalls": defaultLimits.pendingCalls,
  "limits.argumentBytes": bytes(defaultLimits.argumentBytes),
  "limits.spaceBytes": bytes(defaultLimits.spaceBytes),
  "limits.spaceFiles": defaultLimits.spaceFiles,
  "limits.memoryBytes": bytes(defaultLimits.memoryBytes),
  "limits.memoryFiles": defaultLimits.memoryFiles,
  "retention.maxAge": duration(defaultRetention.maxAgeMs),
  "retention.maxRuns": defaultRetention.maxRuns,
  "retention.maxBytes": bytes(defaultRetention.maxBytes),
  "retention.maxResults": defaultRetention.maxResults,
  "retention.archive": null,
  "tidy.every": null,
  "tidy.olderThan": duration(DEFAULT_TIDY_AFTER_MS),
  "tidy.maxAge": null,
  "tidy.maxRows": null,
  "backups.keep": written.backups.keep,
  unloadAfter: duration(defaultTimes.unloadAfterMs),
  lease: duration(defaultTimes.leaseMs),
  durability: "visible",
  drain: duration(written.drain),
  "policy.default": written.policy.default,
  "policy.files": written.policy.files,
  "approvals.expires": duration(defaultApprovals.expiresMs),
  "approvals.perHour": defaultApprovals.perHour,
  "approvals.openPerProcess": defaultApprovals.openPerProcess,
  "approvals.channels": {},
  "sandbox.level": "process",
  "sandbox.require": [],
  "sandbox.limits.wall": duration(defaultRunLimits.wallMs),
  "sandbox.limits.cpu": duration(defaultRunLimits.cpuMs),
  "sandbox.limits.memory": bytes(defaultRunLimits.memoryBytes),
  "sandbox.limits.processes": defaultRunLimits.processes,
  "sandbox.limits.openFiles": defaultRunLimits.openFiles,
  "sandbox.limits.fileSize": bytes(defaultRunLimits.fileBytes),
  "sandbox.limits.output": bytes(defaultRunLimits.outputBytes),
  "sandbox.limits.disk": bytes(defaultRunLimits.diskBytes),
  "sandbox.limits.files": defaultRunLimits.files,
  "sandbox.system": [],
  providers: {},
  models: {},
  tenants: {},
  mounts: {},
  "embeddings.model": written.embeddings.model,
  "embeddings.dimensions": null,
  "embeddings.price": null,
  "embeddings.usdPerDay": defaultEmbeddings.usdPerDay,
  "scheduler.tenants": {},
  "scheduler.queue": DEFAULT_QUEUE,
  "scheduler.running": defaultAdmission.running,
  "scheduler.queued": defaultAdmission.queued,
  "scheduler.queuedPerTenant": defaultAdmission.queuedPerTenant,
  budgets: [],
  velocity: [],
  "goals.model": null,
  "goals.planner": null,
  "goals.roles": null,
  "goals.capabilities": [...DEFAULT_GOAL_CAPABILITIES],
  "goals.parallel": 16,
  publicUrl: null,
  notify: {},
  "workspaces.ttl": duration(defaultWorkspaces.ttlMs),
  "workspaces.maxBytes": bytes(defaultWorkspaces.maxBytes),
  "log.level": written.log.level,
  "log.format": written.log.format,
  "telemetry.signals": written.telemetry.signals,
  "telemetry.ocsf.file": null,
  "telemetry.ocsf.syslog": null,
  "telemetry.ocsf.classes": ["api", "authorization", "finding"],
  "telemetry.otlp": null,
  "telemetry.content": written.telemetry.content,
};

function duration(ms: number): string {
  const [unit, size] = largest(ms, { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 });
  return `${ms / size}${unit}`;
}

function bytes(count: number): Json {
  const [unit, size] = largest(count, { GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10, "": 1 });
  return unit === "" ? count : `${count / size}${unit}`;
}

/** The largest unit that the amount is a whole number of. */
function largest(amount: number, units: Record<string, number>): [unit: string, size: number] {
  const isWhole = ([, size]: [string, number]) => amount >= size && amount % size === 0;
  return Object.entries(units).find(isWhole) ?? ["", 1];
}
