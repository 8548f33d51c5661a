// The kernel's methods about processes: how an operator starts, lists, watches, signals and asks them.

import type { KernelApi } from "../api.ts";
import type { FileScope } from "@aos/protocol";
import { connectorsOfProcess, connectorsOfTenant } from "../inspection/connectors.ts";
import { versionAt, versionedFile, versionsOf } from "../inspection/file-versions.ts";
import { estimateSpawn } from "../inspection/estimate.ts";
import { processDetailOf } from "../inspection/inspect.ts";
import { listProcesses } from "../inspection/listing.ts";
import { memoryRecordOf, memoryRowsOf, memoryStatsOf } from "../inspection/memory-records.ts";
import { memorySpacesOf } from "../inspection/memory-spaces.ts";
import { parseRecord } from "../journal/record-text.ts";
import { CLEAN } from "../label/label.ts";
import { attach } from "./attach.ts";
import { followAll, recorded } from "./feed.ts";
import { Invocations } from "./invoke.ts";
import type { KernelParts } from "./kernel-parts.ts";
import { deadLettersOf, mustFitMailbox, redriveLetter } from "./mail.ts";
import type { OpenKernel } from "./open-kernel.ts";
import { mustAllowSignal } from "./policy-methods.ts";
import { toolsFor } from "./tenants.ts";
import { followProcess, waitForProcessEnd } from "./watch.ts";

export function processMethods(parts: KernelParts, open: OpenKernel) {
  /** Told when the signal is on the disk and, where it acts at once, has acted. */
  const signal: KernelApi["signal"] = async (pid, name) => {
    const { router, journal } = parts;
    const row = await open.findLiving(pid);
    mustAllowSignal(parts, row, name);
    const { writes, after } = await router.signalTo(row, name, "operator");
    journal.write(...writes);
    await journal.durable();
    after();
    await journal.durable();
  };
  const ownerOf = async ({ pid, tenant }: FileScope) =>
    pid === undefined ? { tenant } : { owner: await open.find(pid) };
  return {
    async spawn(request) {
      open.mustBeOpen();
      return parts.spawner.spawn(request);
    },
    async estimateSpawn(request) {
      open.mustBeOpen();
      return estimateSpawn(parts, request);
    },
    tools: async (scope) => toolsFor(parts, scope),
    connectors: async ({ tenant, pid } = {}) =>
      pid === undefined
        ? connectorsOfTenant(parts, tenant)
        : connectorsOfProcess(parts, await open.find(pid)),
    memorySpaces: async ({ tenant } = {}) => memorySpacesOf(parts, tenant),
    fileVersions: async (of, path, page = {}) =>
      versionsOf(parts, await versionedFile(parts, path, await ownerOf(of)), page),
    fileVersion: async (of, path, version) =>
      versionAt(parts, await versionedFile(parts, path, await ownerOf(of)), version),
    memoryRows: async (query = {}) => memoryRowsOf(parts, query),
    memoryRecord: async (of) => memoryRecordOf(parts, of),
    memoryStats: async (of = {}) => memoryStatsOf(parts, of),
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
  } satisfies Partial<KernelApi>;
}

/** What processes are sent, and what is recorded of them. */
export function recordMethods(parts: KernelParts, open: OpenKernel) {
  const invocations = new Invocations(parts);
  return {
    async journal(pid, { after = -1, limit = Infinity } = {}) {
      const { key } = await open.find(pid);
      const rows = await parts.store.records(key, { after, upTo: after + limit });
      return rows.map((row) => parseRecord(row.text));
    },
    async *watch(pid, options = {}) {
      yield* followProcess(parts, (await open.find(pid)).key, options);
    },
    async *attach(pid, options = {}) {
      yield* attach(parts, (await open.find(pid)).key, options);
    },
    recorded: (after) => recorded(parts, after),
    follow: (options = {}) => followAll(parts, options),
    async send(pid, body, { type = "event", label = CLEAN, ...urgency } = {}) {
      open.mustBeOpen();
      const { router, table } = parts;
      const row = table.byPid(pid)?.row ?? (await open.findLiving(pid));
      await mustFitMailbox(parts.manifests, row, body);
      return router.sendFromOperator(row, body, { type, label, ...urgency });
    },
    async invoke(pid, request = {}) {
      const signals = [request.signal, open.stopping];
      return invocations.invoke(await open.find(pid), request, signals);
    },
    deadLetters: async (filter = {}) => deadLettersOf(parts, filter),
    async redrive(id, request) {
      open.mustBeOpen();
      return redriveLetter(parts, id, request);
    },
  } satisfies Partial<KernelApi>;
}
