// The kernel's methods about everything that is stored: its integrity, its cost, its tenants, its end.

import type { KernelApi } from "../api.ts";
import { verifyAll } from "../audit/audit.ts";
import { reportCost } from "../inspection/cost.ts";
import { countStates } from "../inspection/listing.ts";
import { EVERYBODY } from "../syscall/file-flows.ts";
import { backUp } from "./backup.ts";
import { exportRuns } from "./export-runs.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { OpenKernel } from "./open-kernel.ts";
import { tenantKeeper, tenantReports } from "./tenants.ts";

export function storeMethods(parts: KernelParts, open: OpenKernel) {
  const { store, audit, journal, retention, settings, integrity, resources, flows } = parts;
  return {
    storeReport: async () => integrity.report(),
    acceptStore: ({ by, pids }) => integrity.accept(by, pids),
    async verify() {
      await journal.durable();
      return retention.whileItWaits(async () => {
        await audit.publish();
        return settings.added(await verifyAll(store, audit));
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
    async tenants() {
      open.mustBeOpen();
      return tenantReports(parts);
    },
    ...tenantKeeper(parts, () => open.mustBeOpen()),
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
  } satisfies Partial<KernelApi>;
}
