// Spawner: starts processes, for the operator and for other processes.
//
// SPAWNER-1  A process of an operator runs at once or waits for admission (admission.ts); a child belongs to its
//     running tree and does not queue. Of many concurrent starts some begin a moment later (start-queue.ts).
// SPAWNER-2  A chosen pid is started once, however often it is requested and whatever crashes.

import {
  agentOfSpawn,
  DEFAULT_TENANT,
  type ProcessId,
  type SyscallArgs,
  SysError,
} from "@aos/protocol";
import type { SpawnRequest } from "../api.ts";
import type { Journal } from "../journal/journal.ts";
import { CLEAN } from "../label/label.ts";
import type { CreatedProcess, ProcessFactory } from "../process/process-factory.ts";
import type { BlockRegistry } from "../process/blocks.ts";
import type { ProcessImage } from "../process/load.ts";
import { spaceOfChild, spaceOfRoot } from "../process/memory-space.ts";
import type { Process } from "../process/process.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { Runner } from "../scheduler/runner.ts";
import { StartQueue } from "../scheduler/start-queue.ts";
import type { SyscallResult } from "../syscall/syscall-handler.ts";
import type { Write, Store } from "../store/contract.ts";
import type { HoldingRow, PipePlace, TenantKey, ProcessRow } from "../store/rows.ts";
import type { AdmissionControl } from "./admission.ts";
import type { Grants } from "./grants.ts";
import { readManifest, type Programs } from "../process/programs.ts";
import type { TenantRegistry } from "./tenant-registry.ts";
import type { TimeLimits } from "./time-limits.ts";
import type { ProcessTrees } from "../process/trees.ts";

const added = (row: HoldingRow): Write => ({ op: "holding.add", row });

/** What a run is born with that nobody asks for by hand. */
export interface BirthTerms {
  /** In the transaction of its birth, before it. */
  readonly writes: (born: ProcessRow) => readonly Write[];
  /** What stood for its agent then; what was given later is not for it. */
  readonly standingUntil: number;
}

interface Parts {
  readonly journal: Journal<Store>;
  readonly table: ProcessTable;
  readonly factory: ProcessFactory;
  readonly programs: Programs;
  readonly blocks: Pick<BlockRegistry, "ceilingOf">;
  readonly trees: ProcessTrees;
  readonly grants: Grants;
  readonly tenants: Pick<TenantRegistry, "keyOf">;
  readonly admission: AdmissionControl;
  readonly times: TimeLimits;
  /** Of an agent's standing grants, those that a person gave. */
  readonly proven: (standing: readonly HoldingRow[]) => Promise<readonly HoldingRow[]>;
  readonly realFolder: (folder: string) => Promise<string>;
  /** The policy layers that come with a folder. */
  readonly layersOf: (folder: string | undefined) => readonly string[];
  readonly runner: () => Runner;
  readonly trouble: (what: string, error: unknown) => void;
}

export class Spawner {
  readonly #parts: Parts;
  readonly #starts: StartQueue;
  readonly #bearing = new Map<ProcessId, Promise<ProcessId>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#starts = new StartQueue(parts.trouble);
  }

  async spawn(request: SpawnRequest): Promise<ProcessId> {
    const { pid } = request;
    if (pid === undefined) return this.#bear(request);
    const bearing = this.#bearing.get(pid) ?? this.#bearOnce(pid, request);
    this.#bearing.set(pid, bearing);
    return bearing.finally(() => this.#bearing.delete(pid));
  }

  /** SPAWNER-2. */
  async #bearOnce(pid: ProcessId, request: SpawnRequest): Promise<ProcessId> {
    const { journal } = this.#parts;
    await journal.durable();
    return (await journal.store.process(pid)) === undefined ? this.#bear(request) : pid;
  }

  /** With its own terms; nothing is begun where they refuse it (SCHEDULE-WRITES-1). */
  spawnOn(request: SpawnRequest, terms: BirthTerms): Promise<ProcessId> {
    return this.#bear(request, terms);
  }

  async #bear(request: SpawnRequest, terms?: BirthTerms): Promise<ProcessId> {
    const { journal, admission } = this.#parts;
    const tenantName = request.tenant ?? DEFAULT_TENANT;
    const tenant = await this.#parts.tenants.keyOf(tenantName);
    const ticket = admission.enter(tenant);
    try {
      const { isQueued } = ticket;
      const { created, held } = await this.#create(
        request,
        { tenant, tenantName, isQueued },
        terms?.standingUntil,
      );
      if (terms !== undefined) journal.write(...terms.writes(created.process.row));
      this.#bringForth(created, held, isQueued);
      ticket.giveBack(); // from here on it counts itself
      await journal.durable();
      return created.process.pid;
    } finally {
      ticket.giveBack();
    }
  }

  async #create(
    request: SpawnRequest,
    from: { tenant: TenantKey; tenantName: string; isQueued: boolean },
    standingUntil?: number,
  ): Promise<{ created: CreatedProcess; held: readonly HoldingRow[] }> {
    const { programs, factory, journal, blocks } = this.#parts;
    if (request.name !== undefined) await this.#refuseName(request.name, from.tenant);
    const {
      manifest,
      isBare,
      folder = request.folder,
    } = request.manifest === undefined
      ? programs.manifestOf(request.agent ?? "", request.capabilities ?? [])
      : { manifest: readManifest(request.manifest), isBare: false, folder: request.folder };
    const created = await factory.create({
      ...from,
      pid: request.pid,
      manifest,
      programVersion: await programs.versionOf(manifest, folder, blocks.ceilingOf(from.tenant)),
      input: request.input ?? null,
      isBare,
      capabilities: isBare ? undefined : request.capabilities,
      budget: request.budget,
      terms: request,
      name: request.name,
      startedBy: request.by,
      standingUntil,
      folder,
      workspace: await this.#workspaceOf(request, from.tenant),
      layers: this.#parts.layersOf(folder),
      memorySpace: await this.#spaceOf(request, manifest.name),
      parent: null,
      label: request.label ?? CLEAN,
      cause: "operator",
    });
    const standing = await journal.store.standing(from.tenant, manifest.name);
    return { created, held: await this.#standing(created, standing) };
  }

  /** Two that begin at the same moment may get the same: whoever uses it is told so. */
  async #refuseName(name: string, tenant: TenantKey): Promise<void> {
    const { store } = this.#parts.journal;
    const named = await store.processSummaries({ name, tenant });
    const living = named.find(({ endedAt }) => endedAt === null);
    if (living === undefined) return;
    throw new SysError("EEXIST", `${living.pid} is called ${name} already`, {
      hint: "take another name, or end that run first",
    });
  }

  async #workspaceOf(
    { workspace, workspaceOf }: SpawnRequest,
    tenant: TenantKey,
  ): Promise<ProcessRow["spec"]["workspace"]> {
    const { store } = this.#parts.journal;
    if (workspaceOf !== undefined) {
      const former = await store.process(workspaceOf);
      if (former === undefined || former.tenant !== tenant)
        throw new SysError("ENOENT", `there is no process ${workspaceOf}`);
      if (former.endedAt === null)
        throw new SysError("ESTATE", `${former.pid} still uses its workspace`);
      return { ...former.spec.workspace, tree: former.spec.workspace?.tree ?? former.pid };
    }
    if (workspace === undefined) return undefined;
    const folder = await this.#parts.realFolder(workspace.folder);
    return { folder, ...(workspace.isCow ? { isCow: true as const } : {}) };
  }

  async #spaceOf(request: SpawnRequest, name: string): Promise<string> {
    const { manifest, agent, folder } = request;
    const registeredAs = manifest === undefined ? agent : request.registeredAs;
    const isFolder = registeredAs === undefined && folder !== undefined;
    const real = isFolder ? await this.#parts.realFolder(folder) : undefined;
    return spaceOfRoot({ registeredAs, name, folder: real });
  }

  /** SPAWNER-1. One that waits is rows and its first records, and nothing in memory. */
  #bringForth(created: CreatedProcess, held: readonly HoldingRow[], isQueued: boolean): void {
    const { journal, trees, admission } = this.#parts;
    const { process } = created;
    journal.write(...created.writes, ...held.map(added));
    if (!isQueued) {
      trees.add(process.row.root, 1);
      this.#enter(created, held);
      return this.#starts.enter(() => this.#begin(process));
    }
    this.#record(created, held);
    admission.add(process.row);
  }

  /** The place in the tree was taken when the gate allowed it. */
  async spawnChild(
    parent: Process,
    args: SyscallArgs<"spawn">,
    standing: readonly HoldingRow[],
    pipe?: PipePlace,
  ): Promise<SyscallResult> {
    const { programs, factory, layersOf, blocks } = this.#parts;
    const {
      manifest,
      isBare,
      isInline,
      folder = parent.row.spec.folder,
    } = programs.manifestOfChild(args);
    const created = await factory.create({
      manifest,
      isInline,
      step: args.step,
      programVersion: await programs.versionOf(manifest, folder, blocks.ceilingOf(parent.tenant)),
      input: args.input ?? null,
      isBare,
      capabilities: isBare ? undefined : args.capabilities,
      budget: args.budget as never,
      tenant: parent.tenant,
      tenantName: parent.tenantName,
      folder,
      layers: [...new Set([...parent.layers, ...layersOf(folder)])],
      memorySpace: spaceOfChild(
        { space: parent.row.spec.memorySpace, pid: parent.pid },
        agentOfSpawn(args),
      ),
      parent,
      via: args.by,
      pipe,
      label: parent.label,
      cause: `${parent.pid}#${parent.seq + 1}`,
    });
    const held = await this.#standing(created, standing);
    const writes = [...created.writes, ...held.map(added)];
    return { value: created.process.pid, writes, after: () => this.#enterAndBegin(created, held) };
  }

  /** What it holds from birth on because a person answered "always" for its agent. */
  async #standing({ process }: CreatedProcess, rows: readonly HoldingRow[]): Promise<HoldingRow[]> {
    const { grants } = this.#parts;
    const held = grants.standingFor(process, await this.#parts.proven(rows));
    for (const row of held) await grants.hold(process, row);
    return held;
  }

  /** Starts the program of a process that is in the table. */
  start(process: Process, image: ProcessImage): void {
    this.#parts.times.watch(process);
    if (!process.ended) this.#parts.runner().start(process, image);
  }

  #enterAndBegin(created: CreatedProcess, held: readonly HoldingRow[]): void {
    this.#enter(created, held);
    this.#begin(created.process);
  }

  #enter(created: CreatedProcess, held: readonly HoldingRow[]): void {
    this.#parts.table.add(created.process);
    this.#record(created, held);
  }

  #begin(process: Process): void {
    if (process.ended || this.#parts.table.get(process.key) !== process) return;
    this.start(process, { input: process.input, state: undefined, checkpoint: undefined });
  }

  #record({ process, start, startWrites }: CreatedProcess, held: readonly HoldingRow[]): void {
    this.#parts.journal.append(process, start, startWrites);
    for (const row of held) this.#parts.grants.record(process, row);
  }
}
