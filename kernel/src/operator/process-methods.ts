// The kernel's methods about processes: how an operator starts, lists, signals and awaits them.

import type {
  Ending,
  EstimateReport,
  ProcessDetail,
  ProcessId,
  ProcessInfo,
  QueueReport,
  SignalName,
} from "@aos/protocol";
import type { ListFilter, SpawnRequest } from "../api.ts";
import { estimateSpawn } from "../inspection/estimate.ts";
import { processDetailOf } from "../inspection/inspect.ts";
import { listProcesses } from "../inspection/listing.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";
import { mustAllowSignal } from "./policy-methods.ts";
import { waitForProcessEnd } from "./watch.ts";

export interface ProcessMethods {
  spawn(request: SpawnRequest): Promise<ProcessId>;
  /** What it may cost; nothing is begun. */
  estimateSpawn(request: SpawnRequest): Promise<EstimateReport>;
  list(filter?: ListFilter): Promise<ProcessInfo[]>;
  show(pid: string): Promise<ProcessDetail>;
  /** Resolves when the process has ended, or at the time-out with the state it is in. */
  wait(pid: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<Ending>;
  signal(pid: string, signal: SignalName): Promise<void>;
  /** Tells it to make its context shorter: SIGCTX. */
  compactContext(pid: string): Promise<void>;
  /** What runs, what waits to begin, and what waits for a model. */
  queue(): Promise<QueueReport>;
}

export const processReach = {
  spawn: { scope: 0 },
  estimateSpawn: { scope: 0 },
  list: { scope: 0, processes: ["parent", "before"] },
  show: "process",
  wait: "process",
  signal: "process",
  compactContext: "process",
  queue: "all",
} as const satisfies Record<keyof ProcessMethods, MethodReach>;

export function processMethods(parts: KernelParts, open: OpenKernel): ProcessMethods {
  /** Told when the signal is on the disk and, where it acts at once, has acted. */
  const signal: ProcessMethods["signal"] = async (pid, name) => {
    const { router, journal } = parts;
    const row = await open.findLiving(pid);
    mustAllowSignal(parts, row, name);
    const { writes, after } = await router.signalTo(row, name, "operator");
    journal.write(...writes);
    await journal.durable();
    after();
    await journal.durable();
  };
  return {
    async spawn(request) {
      open.mustBeOpen();
      return parts.spawner.spawn(request);
    },
    async estimateSpawn(request) {
      open.mustBeOpen();
      return estimateSpawn(parts, request);
    },
    list: async (filter = {}) => listProcesses(parts, filter),
    async show(pid) {
      const row = await open.find(pid);
      const { store, table, admission, integrity } = parts;
      const place = admission.place(row.key);
      return integrity.shown(row, await processDetailOf(store, row, table.whole(row.key), place));
    },
    async wait(pid, { signal, ...limit } = {}) {
      open.mustBeOpen();
      const { key } = await parts.directory.locate(pid);
      return waitForProcessEnd(parts, key, { ...limit, signals: [signal, open.stopping] });
    },
    async queue() {
      open.mustBeOpen();
      const { admission, store } = parts;
      const waiting = await store.mailOfTenants();
      const mailboxes = await Promise.all(
        waiting.map(async ({ of, depth, oldestAt }) => {
          const tenant = await store.tenantName(of);
          return { tenant, depth, oldestAt: new Date(oldestAt).toISOString() };
        }),
      );
      return { ...admission.report(), mailboxes };
    },
    signal,
    compactContext: (pid) => signal(pid, "SIGCTX"),
  };
}
