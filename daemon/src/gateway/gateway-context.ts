// GatewayContext: what the handlers work with, and what they know of a call.

import type { ConfigReport, OnProgress, ProcessId, ToolScope } from "@aos/protocol";
import type { Sandbox, ToolFlaw, Workspaces } from "@aos/drivers";
import type { Kernel } from "@aos/kernel";
import type { ArchivedRuns } from "../backup/archived-runs.ts";
import type { Config } from "../config.ts";
import type { MetricsSource } from "../metrics/metrics-source.ts";
import type { OpenMcp } from "../mcp/open-mcp.ts";
import type { ModelRegistry } from "../models/model-registry.ts";
import type { SkillRegistry } from "../skills/skill-registry.ts";
import type { Notifications } from "../notify/open-notify.ts";
import type { PolicyRegistry } from "../policy/policy-registry.ts";
import type { ProjectPolicies } from "../policy/project-policies.ts";
import type { ToolSearch } from "../tools/search-tools.ts";
import type { TrustRegistry } from "../trust/trust-registry.ts";
import type { Caller } from "./caller.ts";
import type { IdempotencyStore } from "./idempotency-store.ts";
import type { TokenRegistry } from "./tokens.ts";
import type { SpawnPaths } from "./read-spawn.ts";

/** What the answers are made from. */
export interface GatewayContext extends SpawnPaths {
  /** Which project folders count. */
  readonly trust: TrustRegistry;
  readonly projects: ProjectPolicies;
  readonly kernel: Kernel;
  /** Runs that left the database, where a folder for them is configured. */
  readonly archive?: ArchivedRuns | undefined;
  readonly policy: PolicyRegistry;
  readonly config: Config;
  /** Every setting, and who says so. */
  readonly settings: () => ConfigReport;
  readonly workspaces: Workspaces;
  readonly sandbox: () => Promise<Sandbox>;
  readonly skills: SkillRegistry;
  readonly mcp: OpenMcp;
  readonly models: ModelRegistry;
  /** Who is told of what, where the configuration names somebody. */
  readonly notify?: Notifications | undefined;
  /** The tools that fit words, the best first. */
  readonly search: ToolSearch;
  /** What a project's `.agents/tools` has and could not be loaded, and why. */
  readonly toolFlaws: (scope: ToolScope) => Promise<readonly ToolFlaw[]>;
  /** What GET /metrics says. */
  readonly metrics: MetricsSource;
  readonly daemon: { readonly pid: number; readonly version: string; readonly startedAt: string };
  readonly socket: string;
  /** The address on the network; null while there is only the socket. */
  readonly url: () => string | null;
  readonly tokens: TokenRegistry;
  readonly repeats: IdempotencyStore;
  /** Aborted when the daemon begins to stop: it takes nothing new. */
  readonly stopping: AbortSignal;
  /** Aborted when the daemon stops, with why: who waits is told so. */
  readonly closing: AbortSignal;
  readonly stop: () => void;
  readonly onMistake: (error: unknown) => void;
  /** Told what somebody did that is in no journal. */
  readonly onAct: (what: string, more: object) => void;
}

/** One call of an operation. */
export interface OperationCall {
  /** Aborted when the caller hangs up, is nobody any more, or the daemon stops. */
  readonly signal: AbortSignal;
  readonly caller: Caller;
  /** What a process that is started is to be called, where the request may come again. */
  readonly pid?: ProcessId | undefined;
  /** Told how far it is, where the row says `reportsProgress` and the caller listens. */
  readonly onProgress?: OnProgress | undefined;
}
