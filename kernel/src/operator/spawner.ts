// Spawner: brings processes into the world, for the operator and for other processes.

import { DEFAULT_TENANT, type ProcessId, type SyscallArgs } from "@aos/protocol";
import type { SpawnRequest } from "../api.ts";
import type { Journal } from "../journal/journal.ts";
import { CLEAN } from "../label/label.ts";
import { MAX_TIMER_MS, type Platform } from "../platform/clock.ts";
import type { Born, Nursery } from "../process/birth.ts";
import type { Image } from "../process/load.ts";
import type { Process } from "../process/process.ts";
import type { Table } from "../process/table.ts";
import type { Runner } from "../scheduler/runner.ts";
import type { Answered } from "../syscall/answer.ts";
import type { Write } from "../store/contract.ts";
import type { HoldingRow } from "../store/rows.ts";
import type { Courier } from "./courier.ts";
import type { Grants } from "./grants.ts";
import { readManifest, type Programs } from "./programs.ts";
import type { Trees } from "./trees.ts";

const added = (row: HoldingRow): Write => ({ op: "holding.add", row });

interface Parts {
  readonly journal: Journal;
  readonly platform: Platform;
  readonly table: Table;
  readonly nursery: Nursery;
  readonly programs: Programs;
  readonly trees: Trees;
  readonly courier: Courier;
  readonly grants: Grants;
  /** The policy layers that come with a folder. */
  readonly layersOf: (folder: string | undefined) => readonly string[];
  readonly runner: () => Runner;
}

export class Spawner {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async spawn(request: SpawnRequest): Promise<ProcessId> {
    const { programs, nursery, journal, trees } = this.#parts;
    const {
      manifest,
      isBare,
      folder = request.folder,
    } = request.manifest === undefined
      ? programs.manifestOf(request.agent ?? "", request.capabilities ?? [])
      : { manifest: readManifest(request.manifest), isBare: false, folder: request.folder };
    const tenantName = request.tenant ?? DEFAULT_TENANT;
    const tenant = await journal.store.tenantKey(tenantName);
    const born = await nursery.conceive({
      manifest,
      programVersion: await programs.versionOf(manifest, folder),
      input: request.input ?? null,
      isBare,
      capabilities: isBare ? undefined : request.capabilities,
      budget: request.budget,
      tenant,
      tenantName,
      folder,
      workspace: request.workspace,
      layers: this.#parts.layersOf(folder),
      parent: null,
      label: request.label ?? CLEAN,
      cause: "operator",
    });
    const held = await this.#standing(born, await journal.store.standing(tenant, manifest.name));
    trees.add(born.process.row.root, 1);
    journal.write(...born.writes, ...held.map(added));
    this.#begin(born, held);
    await journal.durable();
    return born.process.pid;
  }

  /** The place in the tree was taken when the gate allowed it. */
  async spawnChild(
    parent: Process,
    args: SyscallArgs<"spawn">,
    standing: readonly HoldingRow[],
  ): Promise<Answered> {
    const { programs, nursery, layersOf } = this.#parts;
    const {
      manifest,
      isBare,
      folder = parent.row.spec.folder,
    } = programs.manifestOf(args.agent, args.capabilities ?? []);
    const born = await nursery.conceive({
      manifest,
      programVersion: await programs.versionOf(manifest, folder),
      input: args.input ?? null,
      isBare,
      capabilities: isBare ? undefined : args.capabilities,
      budget: args.budget as never,
      tenant: parent.tenant,
      tenantName: parent.tenantName,
      folder,
      layers: [...new Set([...parent.layers, ...layersOf(folder)])],
      parent,
      via: args.by,
      label: parent.label,
      cause: `${parent.pid}#${parent.seq + 1}`,
    });
    const held = await this.#standing(born, standing);
    const writes = [...born.writes, ...held.map(added)];
    return { value: born.process.pid, writes, after: () => this.#begin(born, held) };
  }

  /** What it holds from birth on because a person answered "always" for its agent. */
  async #standing({ process }: Born, rows: readonly HoldingRow[]): Promise<HoldingRow[]> {
    const { grants } = this.#parts;
    const held = grants.standingFor(process, rows);
    for (const row of held) await grants.hold(process, row);
    return held;
  }

  /** Starts the program of a process that is in the table. */
  start(process: Process, image: Image): void {
    this.#watchWall(process);
    this.#parts.runner().start(process, image);
  }

  #begin({ process, start, startWrites }: Born, held: readonly HoldingRow[]): void {
    this.#parts.journal.append(process, start, startWrites);
    this.#parts.table.add(process);
    for (const row of held) this.#parts.grants.record(process, row);
    this.start(process, { input: process.input, state: undefined, checkpoint: undefined });
  }

  /** Time that passed while it was not in memory has passed too. It is told once. */
  #watchWall(process: Process): void {
    const { platform, courier } = this.#parts;
    clearTimeout(process.wallTimer);
    if (process.wallEndsAt === undefined || process.wallTold) return;
    if (process.signals.some(({ signal }) => signal === "SIGBUDGET")) return;
    const leftMs = process.wallEndsAt - platform.now();
    if (leftMs <= 0) {
      process.wallTold = true;
      void courier.signal(process.row, "SIGBUDGET", "the wall clock");
      return;
    }
    const look = () => this.#watchWall(process);
    process.wallTimer = setTimeout(look, Math.min(leftMs, MAX_TIMER_MS));
    process.wallTimer.unref();
  }
}
