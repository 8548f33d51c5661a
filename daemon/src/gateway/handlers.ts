// OperationHandlers: how each operation is answered. One line for each row of protocol/src/operations.

import {
  SysError,
  type ConfigReport,
  type OperationAnswer,
  type OperationArgs,
  type OperationName,
  type ProcessId,
  type ProcessState,
  type routes,
  type ToolScope,
} from "@aos/protocol";
import type { Sandbox, ToolFlaw, Workspaces } from "@aos/drivers";
import type { Kernel } from "@aos/kernel";
import type { Config } from "../config.ts";
import type { OpenMcp } from "../mcp/open-mcp.ts";
import type { ModelRegistry } from "../models/model-registry.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { SkillRegistry } from "../skills/skill-registry.ts";
import type { PolicyRegistry } from "../policy/policy-registry.ts";
import type { ProjectPolicies } from "../policy/project-policies.ts";
import type { ToolSearch } from "../tools/search-tools.ts";
import type { TrustRegistry } from "../trust/trust-registry.ts";
import { authorityHandlers } from "./authority-handlers.ts";
import type { Caller } from "./caller.ts";
import { findProcess } from "./find-process.ts";
import type { IdempotencyStore } from "./idempotency-store.ts";
import { memoryHandlers } from "./memory-handlers.ts";
import { modelHandlers } from "./model-handlers.ts";
import { labelOf } from "./label-of.ts";
import { readSpawn, type SpawnPlaces } from "./read-spawn.ts";
import { tenantHandlers } from "./tenant-handlers.ts";
import { tokenHandlers } from "./token-handlers.ts";
import type { TokenRegistry } from "./tokens.ts";
import { toolHandlers } from "./tool-handlers.ts";
import { trustHandlers } from "./trust-handlers.ts";
import { refuseIfClosing, untilClosing } from "./until-closing.ts";
import { whyHandlers } from "./why-handlers.ts";

/** What the answers are made from. */
export interface GatewayContext extends SpawnPlaces {
  /** Which project folders count. */
  readonly trust: TrustRegistry;
  readonly projects: ProjectPolicies;
  readonly kernel: Kernel;
  readonly policy: PolicyRegistry;
  readonly config: Config;
  /** Every setting, and who says so. */
  readonly settings: () => ConfigReport;
  readonly workspaces: Workspaces;
  readonly sandbox: () => Promise<Sandbox>;
  readonly skills: SkillRegistry;
  readonly mcp: OpenMcp;
  readonly models: ModelRegistry;
  /** The tools that fit words, the best first. */
  readonly search: ToolSearch;
  /** What a project's `.agents/tools` has and could not be loaded, and why. */
  readonly toolFlaws: (scope: ToolScope) => Promise<readonly ToolFlaw[]>;
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
}

type Answered<Name extends OperationName> = (typeof routes)[Name]["streams"] extends true
  ? AsyncIterable<OperationAnswer<Name>>
  : OperationAnswer<Name>;

export type OperationHandlers = {
  readonly [Name in OperationName]: (
    gateway: GatewayContext,
    args: OperationArgs<Name>,
    call: OperationCall,
  ) => Promise<Answered<Name>>;
};

export const operationHandlers: OperationHandlers = {
  async status({ kernel, daemon, socket, home, url }, _, { caller }) {
    const places =
      caller.tenant === null ? { socket, home: home.folder } : { socket: "", home: "" };
    return { daemon, url: url(), ...places, ...(await kernel.status()) };
  },
  async shutdown(gateway) {
    gateway.stop();
    return { stopping: true };
  },

  async spawn(gateway, args, { pid, caller }) {
    const request = { ...readSpawn(gateway, args), ...omitUndefined({ pid }), by: caller.id };
    const folders = [request.folder, args.cwd].filter((folder) => folder !== undefined);
    return { pid: await gateway.policy.admit(folders, () => gateway.kernel.spawn(request)) };
  },
  async list({ kernel }, { states, parent, before, ...rest }) {
    return kernel.list({
      ...omitUndefined(rest),
      ...omitUndefined({
        states: states?.split(",") as ProcessState[] | undefined,
        parent: parent === undefined ? undefined : await findProcess(kernel, parent),
        before: before === undefined ? undefined : await findProcess(kernel, before),
      }),
    });
  },
  async show({ kernel }, { pid }) {
    return kernel.show(await findProcess(kernel, pid));
  },
  async wait({ kernel, closing }, { pid, timeoutMs }, { signal }) {
    const found = await findProcess(kernel, pid);
    const ending = await kernel.wait(found, { signal, ...omitUndefined({ timeoutMs }) });
    refuseIfClosing(closing, found);
    return ending;
  },

  async journal({ kernel }, { pid, ...rest }) {
    return kernel.journal(await findProcess(kernel, pid), omitUndefined(rest));
  },
  async watch({ kernel, closing }, { pid, after }, { signal }) {
    const { pid: found } = await kernel.show(await findProcess(kernel, pid));
    return untilClosing(
      kernel.watch(found, { signal, ...omitUndefined({ after }) }),
      closing,
      found,
    );
  },
  async coreDump({ kernel }, { pid }) {
    const found = await findProcess(kernel, pid);
    const core = await kernel.coreDump(found);
    if (core !== undefined) return core;
    const { state, exitCode } = await kernel.show(found);
    throw new SysError("ENOENT", `${found} left no core dump`, {
      hint: `it is ${state}${exitCode === null ? "" : ` with exit code ${exitCode}`}; only exit codes from 96 leave a core dump. See \`aos why ${found}\``,
    });
  },

  async signal({ kernel }, { pid, signal }) {
    const found = await findProcess(kernel, pid);
    await kernel.signal(found, signal);
    return { pid: found, signal };
  },
  async send({ kernel }, { pid, body, type, label }) {
    const more = omitUndefined({ type, label: labelOf(label) });
    return { id: await kernel.send(await findProcess(kernel, pid), body, more) };
  },

  async replay({ kernel }, { pid }) {
    return kernel.replay(await findProcess(kernel, pid));
  },
  async fork({ kernel }, { pid, at }) {
    return { pid: await kernel.fork(await findProcess(kernel, pid), omitUndefined({ at })) };
  },
  async retry({ kernel }, { pid, ...rest }) {
    return { pid: await kernel.retry(await findProcess(kernel, pid), omitUndefined(rest)) };
  },

  verify: ({ kernel }) => kernel.verify(),
  storeReport: ({ kernel }) => kernel.storeReport(),
  acceptStore: ({ kernel }, { pids }, { caller }) =>
    kernel.acceptStore({ by: caller.name, ...omitUndefined({ pids }) }),
  collect: ({ kernel }, args) => kernel.collect(omitUndefined(args)),

  config: async ({ settings }) => settings(),

  ...authorityHandlers,
  ...memoryHandlers,
  ...modelHandlers,
  ...toolHandlers,
  ...tenantHandlers,
  ...tokenHandlers,
  ...trustHandlers,
  ...whyHandlers,
};
