// The kernel's methods about everything that is stored: its integrity, its cost, its end.

import type {
  ArchiveReport,
  AuditReport,
  CostGroup,
  CostReport,
  GcReport,
  MachineFiles,
  MarkKeeper,
  OnProgress,
  StoreReport,
} from "@aos/protocol";
import type {
  ArchiveSelection,
  ExportedRuns,
  InterruptedCall,
  KernelBackup,
  KernelBackupSink,
  KernelStatus,
  RunSelection,
} from "../api.ts";
import { verifyAll } from "../audit/audit.ts";
import { reportCost } from "../inspection/cost.ts";
import { countStates } from "../inspection/listing.ts";
import { EVERYBODY } from "../syscall/file-flows.ts";
import { backUp } from "./backup.ts";
import { exportRuns } from "./export-runs.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";

export interface StoreMethods extends MarkKeeper, Pick<MachineFiles, "fileLabels"> {
  verify(options?: { onProgress?: OnProgress | undefined }): Promise<AuditReport>;
  collect(options?: { dryRun?: boolean }): Promise<GcReport>;
  /** Moves finished runs to the archive, whole trees at a time (operator/archive-retention.ts). */
  archiveRuns(wanted?: ArchiveSelection): Promise<ArchiveReport>;
  /** Hands over all that is stored, while everything goes on (operator/backup.ts). */
  backUp(sink: KernelBackupSink): Promise<KernelBackup>;
  /** Writes the trees of these runs to a new SQLite file, with all that a replay reads. */
  exportRuns(wanted: RunSelection, file: string): Promise<ExportedRuns>;
  /** Whether the store has all that was written to it, by what was signed apart from it. */
  storeReport(): Promise<StoreReport>;
  /** Accepts that what is missing is lost: what is held goes on, and what it had begun is in doubt. */
  acceptStore(word: {
    by: string;
    /** Only the trees of these. */
    pids?: readonly string[];
  }): Promise<StoreReport & { released: number }>;
  /** What was spent since then, summed up by one thing, and what is left of wide budgets. */
  cost(question?: {
    by?: CostGroup;
    /** Milliseconds since 1970. */
    sinceMs?: number;
    tenant?: string;
    /** Only the tree that this process is of. */
    pid?: string;
  }): Promise<CostReport>;
  /** Counted are all processes, or those of one tenant. */
  status(of?: { tenant?: string }): Promise<KernelStatus>;
  /** Takes no new work, begins no call and lets those that are under way end; with what did not, in time. */
  drain(options: { withinMs: number }): Promise<InterruptedCall[]>;
  /** What runs is left where its journal is, and goes on at the next boot. */
  // After a `failure` of the store nothing more is written: the next boot is as after a crash.
  close(options?: { failure?: unknown }): Promise<void>;
}

export const storeReach = {
  verify: "all",
  collect: "all",
  archiveRuns: "all",
  backUp: "all",
  exportRuns: "all",
  storeReport: "all",
  acceptStore: "all",
  carryMarks: "all",
  takeBackMarks: "all",
  fileLabels: "all",
  cost: "own",
  status: "own",
  drain: "all",
  close: "all",
} as const satisfies Record<keyof StoreMethods, MethodReach>;

export function storeMethods(parts: KernelParts, open: OpenKernel): StoreMethods {
  const { store, audit, journal, retention, settings, integrity, resources, flows } = parts;
  return {
    storeReport: async () => integrity.report(),
    acceptStore: ({ by, pids }) => integrity.accept(by, pids),
    async verify({ onProgress } = {}) {
      await journal.durable();
      return retention.whileItWaits(async () => {
        await audit.publish();
        const report = await settings.added(await verifyAll(store, audit, onProgress));
        return parts.fleetProof.added(await parts.scheduleProof.added(report));
      });
    },
    async collect({ dryRun = false } = {}) {
      await journal.durable();
      return retention.collect(dryRun);
    },
    async archiveRuns({ pid, ...wanted } = {}) {
      open.mustBeOpen();
      const one = pid === undefined ? {} : { pid, root: (await open.findRecorded(pid)).root };
      await journal.durable();
      return retention.archive({ ...wanted, ...one });
    },
    async backUp(sink) {
      open.mustBeOpen();
      return backUp(parts, sink);
    },
    async exportRuns(wanted, file) {
      open.mustBeOpen();
      return exportRuns(parts, wanted, file);
    },
    async carryMarks(place, paths) {
      const carried = await resources.carry(place, paths);
      await journal.durable();
      return carried;
    },
    async takeBackMarks(place, marks) {
      await resources.takeBack(place, marks);
      await journal.durable();
    },
    fileLabels: async (folder) => flows.below(EVERYBODY, folder),
    async cost(question = {}) {
      open.mustBeOpen();
      return reportCost(parts, question);
    },
    async status({ tenant } = {}) {
      open.mustBeOpen();
      const { node, table, tenants } = parts;
      const key = tenant === undefined ? undefined : await tenants.keyOf(tenant);
      const states = await countStates(parts, key);
      const trouble = integrity.summary;
      const said = trouble === undefined ? {} : { trouble };
      return { node, store: store.name, loaded: table.size, states, ...said };
    },
    drain: (options) => parts.drain.finish(options),
    close: ({ failure } = {}) => open.close(failure),
  };
}
