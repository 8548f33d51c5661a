// The kernel, as the operator has it. How it is put together is in compose-kernel.ts.

import {
  isEnded,
  SysError,
  type Json,
  type JournalRecord,
  type Label,
  type Lane,
  type ProcessId,
  type SignalName,
  type ToolScope,
} from "@aos/protocol";
import type {
  AuditReport,
  FeedCursor,
  GcReport,
  InvokeRequest,
  KernelApi,
  KernelStatus,
  ListFilter,
  ReplayReport,
  SpawnRequest,
} from "../api.ts";
import { parseRecord } from "../journal/record-text.ts";
import type { KernelOptions } from "../options.ts";
import { openStore } from "../store/open.ts";
import type { ProcessRow } from "../store/rows.ts";
import { newPlatform } from "../platform/clock.ts";
import { CLEAN } from "../label/label.ts";
import { adopt } from "./adopt.ts";
import { attach } from "./attach.ts";
import { verifyAll } from "../audit/audit.ts";
import { Authority } from "./authority.ts";
import { closeKernel } from "./close.ts";
import { reportCost, type CostQuestion } from "../inspection/cost.ts";
import { estimateSpawn } from "../inspection/estimate.ts";
import { followAll, recorded } from "./feed.ts";
import { forkAt, retryFrom } from "./fork.ts";
import { processDetailOf } from "../inspection/inspect.ts";
import { Invocations } from "./invoke.ts";
import { countStates, listProcesses } from "../inspection/listing.ts";
import { nice } from "./nice.ts";
import { composeKernel } from "./compose-kernel.ts";
import type { KernelParts } from "./kernel-parts.ts";
import { deadLettersOf } from "./mail.ts";
import { EVERYBODY } from "../syscall/file-flows.ts";
import { processQueries, type ProcessQueries } from "./process-queries.ts";
import { policyForAll } from "./policy-word.ts";
import { rerun } from "../replay/rerun.ts";
import { openVault } from "../secret/secret-store.ts";
import { tenantKeeper, tenantReports, toolsFor } from "./tenants.ts";
import { followProcess, waitForProcessEnd } from "./watch.ts";

/** The kernel, for those who stand outside it. */
export type Kernel = KernelApi & ProcessQueries;

export async function bootKernel(given: KernelOptions = {}): Promise<Kernel> {
  const platform = given.platform ?? newPlatform();
  const options = { ...given, platform };
  const store = await openStore(options.store ?? "memory", (what) =>
    options.onTrouble?.(what, null),
  );
  let parts: KernelParts | undefined;
  try {
    platform.notBefore(await store.lastGrownAt());
    parts = composeKernel(store, options, await openVault(store, options, platform));
    await parts.audit.open(); // what follows is compared with the signed log
    await parts.tenants.configure(options.tenants ?? {});
    await parts.settings.prove();
    await parts.policies.begin();
    if (options.formerNode !== undefined) await store.dropNode(options.formerNode);
    await parts.leases.begin();
    await parts.reaper.endOrphans();
    const { router, leases, trouble } = parts;
    await store.listen((keys) => {
      const followed = keys.length === 0 ? leases.look() : router.onNotified(keys);
      followed.catch((error: unknown) => trouble("a notice could not be followed", error));
    });
    parts.dormancy.begin();
    parts.retention.begin();
    parts.patrol.begin();
    return RunningKernel.open(parts);
  } catch (error) {
    parts?.hush(); // `error` says it all
    if (parts === undefined) await store.close();
    else await closeKernel(parts, new AbortController(), error).catch(() => {});
    throw error;
  }
}

class RunningKernel extends Authority implements KernelApi {
  readonly #parts: KernelParts;
  readonly #invocations: Invocations;
  readonly #keeper: ReturnType<typeof tenantKeeper>;
  #closed: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  static open(parts: KernelParts): Kernel {
    const kernel = new RunningKernel(parts);
    return Object.assign(
      kernel,
      processQueries(parts, (pid) => kernel.#find(pid)),
    );
  }

  constructor(parts: KernelParts) {
    super(parts);
    this.#parts = parts;
    this.#invocations = new Invocations(parts);
    this.#keeper = tenantKeeper(parts, () => this.mustBeOpen());
  }

  async spawn(request: SpawnRequest): Promise<ProcessId> {
    this.mustBeOpen();
    return this.#parts.spawner.spawn(request);
  }

  async tools(scope: ToolScope) {
    return toolsFor(this.#parts, scope);
  }

  async list(filter: ListFilter = {}) {
    return listProcesses(this.#parts, filter);
  }

  async show(pid: string) {
    const row = await this.#find(pid);
    const { store, table, admission } = this.#parts;
    const detail = await processDetailOf(
      store,
      row,
      table.whole(row.key),
      admission.place(row.key),
    );
    return this.#parts.integrity.shown(row, detail);
  }

  storeReport = async () => this.#parts.integrity.report();
  carryMarks: KernelApi["carryMarks"] = async (place, paths) => {
    const carried = await this.#parts.resources.carry(place, paths);
    await this.#parts.journal.durable();
    return carried;
  };
  takeBackMarks: KernelApi["takeBackMarks"] = async (place, marks) => {
    await this.#parts.resources.takeBack(place, marks);
    await this.#parts.journal.durable();
  };
  readableFiles = async () => policyForAll(this.#parts, { kind: "file", verb: "read" });
  fileLabels = async (folder: string) => this.#parts.flows.below(EVERYBODY, folder);
  acceptStore: KernelApi["acceptStore"] = ({ by, pids }) => this.#parts.integrity.accept(by, pids);

  async wait(pid: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) {
    const { signal, ...drain } = options;
    const signals = [signal, this.#stopping.signal];
    this.mustBeOpen();
    const { key } = await this.#parts.directory.locate(pid);
    return waitForProcessEnd(this.#parts, key, { ...drain, signals });
  }

  async journal(pid: string, { after = -1, limit = Infinity } = {}): Promise<JournalRecord[]> {
    const { key } = await this.#find(pid);
    const rows = await this.#parts.store.records(key, { after, upTo: after + limit });
    return rows.map((row) => parseRecord(row.text));
  }

  async compactContext(pid: string): Promise<void> {
    await this.signal(pid, "SIGCTX");
  }

  async *watch(pid: string, options: { after?: number; signal?: AbortSignal } = {}) {
    yield* followProcess(this.#parts, (await this.#find(pid)).key, options);
  }

  async *attach(pid: string, options: { after?: number; signal?: AbortSignal } = {}) {
    yield* attach(this.#parts, (await this.#find(pid)).key, options);
  }

  recorded = (after: FeedCursor) => recorded(this.#parts, after);
  follow: KernelApi["follow"] = (options = {}) => followAll(this.#parts, options);

  /** Told when the signal is on the disk and, where it acts at once, has acted. */
  async signal(pid: string, signal: SignalName): Promise<void> {
    const { router, journal } = this.#parts;
    const row = await this.#findLiving(pid);
    this.mustAllowSignal(row, signal);
    const { writes, after } = await router.signalTo(row, signal, "operator");
    journal.write(...writes);
    await journal.durable();
    after();
    await journal.durable();
  }

  async send(
    pid: string,
    body: Json,
    { type = "event", label = CLEAN }: { type?: string; label?: Label } = {},
  ): Promise<string> {
    this.mustBeOpen();
    const { router, table } = this.#parts;
    const row = table.byPid(pid)?.row ?? (await this.#findLiving(pid));
    return router.sendFromOperator(row, body, { type, label });
  }

  async invoke(pid: string, request: InvokeRequest = {}) {
    const signals = [request.signal, this.#stopping.signal];
    return this.#invocations.invoke(await this.#find(pid), request, signals);
  }

  deadLetters: KernelApi["deadLetters"] = async (filter = {}) => deadLettersOf(this.#parts, filter);

  async nice(pid: string, lane: Lane, by: string): Promise<void> {
    this.mustBeOpen();
    await nice(this.#parts, pid, lane, by);
  }

  async queue() {
    this.mustBeOpen();
    return this.#parts.admission.report();
  }

  async replay(pid: string): Promise<ReplayReport> {
    await this.#parts.journal.durable();
    return rerun(this.#parts, await this.#find(pid));
  }

  async fork(pid: string, { at }: { at?: number } = {}): Promise<ProcessId> {
    const origin = await this.#find(pid);
    return adopt(this.#parts, origin, () => forkAt(this.#parts, origin, at));
  }

  async retry(pid: string, options: { from?: number; result?: Json } = {}): Promise<ProcessId> {
    const origin = await this.#find(pid);
    return adopt(this.#parts, origin, () => retryFrom(this.#parts, origin, options));
  }

  async cost(question: CostQuestion = {}) {
    this.mustBeOpen();
    return reportCost(this.#parts, question);
  }

  async tenants() {
    this.mustBeOpen();
    return tenantReports(this.#parts);
  }

  addTenant: KernelApi["addTenant"] = (...given) => this.#keeper.addTenant(...given);
  setTenant: KernelApi["setTenant"] = (...given) => this.#keeper.setTenant(...given);
  removeTenant: KernelApi["removeTenant"] = (...given) => this.#keeper.removeTenant(...given);
  covers: KernelApi["covers"] = (...given) => this.#keeper.covers(...given);
  configureTenants: KernelApi["configureTenants"] = (all) => this.#keeper.configureTenants(all);

  async estimateSpawn(request: SpawnRequest) {
    this.mustBeOpen();
    return estimateSpawn(this.#parts, request);
  }

  async verify(): Promise<AuditReport> {
    const { store, audit, journal, retention, settings } = this.#parts;
    await journal.durable();
    return retention.whileItWaits(async () => {
      await audit.publish();
      return settings.added(await verifyAll(store, audit));
    });
  }

  async collect({ dryRun = false } = {}): Promise<GcReport> {
    await this.#parts.journal.durable();
    return this.#parts.retention.collect(dryRun);
  }

  async coreDump(pid: string): Promise<Json | undefined> {
    const core = await this.#parts.store.core((await this.#find(pid)).key);
    if (core === undefined) return undefined;
    const records = (await this.journal(pid)).slice(-100);
    return {
      ...(JSON.parse(core) as { [key: string]: Json }),
      records: records as unknown as Json,
    };
  }

  async status({ tenant }: { tenant?: string } = {}): Promise<KernelStatus> {
    this.mustBeOpen();
    const { node, store, table, tenants } = this.#parts;
    const key = tenant === undefined ? undefined : await tenants.keyOf(tenant);
    const states = await countStates(this.#parts, key);
    const trouble = this.#parts.integrity.summary;
    const said = trouble === undefined ? {} : { trouble };
    return { node, store: store.name, loaded: table.size, states, ...said };
  }

  drain: KernelApi["drain"] = (options) => this.#parts.drain.finish(options);

  close({ failure }: { failure?: unknown } = {}): Promise<void> {
    this.#closed ??= closeKernel(this.#parts, this.#stopping, failure);
    return this.#closed;
  }

  async #find(pid: string): Promise<ProcessRow> {
    this.mustBeOpen();
    return this.#parts.directory.find(pid);
  }

  async #findLiving(pid: string): Promise<ProcessRow> {
    const row = await this.#find(pid);
    if (isEnded(row.state)) throw new SysError("ESTATE", `${pid} has ended`);
    return row;
  }

  protected mustBeOpen(): void {
    if (this.#closed !== undefined) throw new SysError("ESTATE", "the kernel is closed");
    if (this.#parts.journal.failure !== undefined) throw this.#parts.journal.failure;
  }
}
