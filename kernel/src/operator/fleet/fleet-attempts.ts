// FleetAttempts: begins the items of a fleet, and says what comes of each attempt.
//
// FLEET-ATTEMPTS-1  One transaction has the attempt at an item and its run: an item is begun once for each attempt, whatever
//     is killed when. The end of an attempt counts once too.
// FLEET-ATTEMPTS-2  A run has the power of its version, as it was when a person wrote that, whoever sent the item. The label
//     of the item is that of its input.
// FLEET-ATTEMPTS-3  An executable that is not what it was when its version was written is not run.
// FLEET-ATTEMPTS-4  What one run may use is reserved: no item is begun that the month has no budget for.
// FLEET-ATTEMPTS-5  At most one run of a fleet waits for admission: the rest of its items wait in the fleet.

import { SysError, type Json } from "@aos/protocol";
import type { SpawnRequest } from "../../api.ts";
import { afterFailure, isPoisonous } from "../../fleet/attempt-rule.ts";
import { itemVersion } from "../../fleet/item-version.ts";
import type { Journal } from "../../journal/journal.ts";
import { join, readLabel } from "../../label/label.ts";
import type { Platform } from "../../platform/clock.ts";
import type { Write } from "../../store/contract.ts";
import { fleetWrite, type FleetItemRow } from "../../store/fleet-rows.ts";
import type { OpenedStore } from "../../store/mail-reports.ts";
import type { ProcessKey, ProcessRow } from "../../store/rows.ts";
import type { AdmissionControl } from "../admission.ts";
import type { MessageRouter } from "../message-router.ts";
import type { Spawner } from "../spawner.ts";
import { eventWrite } from "./fleet-events.ts";
import {
  affordableRuns,
  fleetOfVersion,
  monthOf,
  versionOf,
  type AgentVersion,
  type FleetEntry,
} from "./fleet-spec.ts";

/** What stands against any start, or against this one for now: the item waits. */
const NOT_ITS_FAULT: ReadonlySet<string> = new Set(["ESHUTDOWN", "ESTORE", "ESTATE", "EFENCED"]);

interface Parts {
  readonly store: OpenedStore;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly spawner: Pick<Spawner, "spawnOn">;
  readonly router: Pick<MessageRouter, "signal">;
  readonly admission: Pick<AdmissionControl, "remove" | "place">;
  readonly trouble: (what: string, error: unknown) => void;
}

class ChangedProgram extends Error {}

export class FleetAttempts {
  readonly #parts: Parts;
  /** The runs of fleets that have not ended, and whose they are. */
  readonly runs = new Map<ProcessKey, number>();
  readonly #stopped = new Set<ProcessKey>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Begins as many items as there are free replicas. */
  async fill(entry: FleetEntry, running: readonly FleetItemRow[]): Promise<void> {
    const { store, platform } = this.#parts;
    const now = platform.now();
    const month = monthOf(now);
    let count = running.length;
    entry.limitedBy = this.#limit(entry, count, month);
    const free = entry.row.replicas - count;
    if (free <= 0) return;
    let given = await this.#given(entry);
    for (const item of await store.dueItems(entry.row.key, now, free)) {
      entry.limitedBy = this.#limit(entry, count, month);
      if (entry.limitedBy !== null) return;
      const { roll, stable } = entry.spec;
      const share = roll && {
        to: roll.to,
        share: roll.rule.share,
        first: roll.rule.first,
        isPaused: roll.isPaused,
      };
      const number = itemVersion(item.id, item.version, stable, share ?? undefined, given);
      if (number === roll?.to && item.version !== number) given += 1;
      const began = await this.#begin(entry, item, versionOf(entry, number));
      if (began === "stop") return;
      if (began === "begun") count += 1;
    }
  }

  async #given({ spec, row }: FleetEntry): Promise<number> {
    if (spec.roll?.rule.first === undefined) return 0;
    return this.#parts.store.itemsOfVersion(row.key, spec.roll.to);
  }

  /** FLEET-ATTEMPTS-4, FLEET-ATTEMPTS-5. */
  #limit(entry: FleetEntry, count: number, month: number): string | null {
    if (count >= affordableRuns(entry, month)) return "budget: the month has none for another run";
    const { admission } = this.#parts;
    for (const [key, fleet] of this.runs)
      if (fleet === entry.row.key && admission.place(key) !== null)
        return "admission: a run of it waits for its turn (scheduler.running)";
    return null;
  }

  /** FLEET-ATTEMPTS-1. */
  async #begin(
    entry: FleetEntry,
    item: FleetItemRow,
    version: AgentVersion,
  ): Promise<"begun" | "failed" | "stop"> {
    const { spawner, platform, store, admission } = this.#parts;
    const { key: fleet, tenant, revision } = entry.row;
    let born: ProcessRow | undefined;
    const writes = (row: ProcessRow): Write[] => {
      if (version.isExecutable && row.spec.programVersion !== version.programVersion)
        throw new ChangedProgram(); // FLEET-ATTEMPTS-3
      born = row;
      this.runs.set(row.key, fleet); // it may end before this returns
      const run = {
        fleet,
        item: item.id,
        pid: row.pid,
        process: row.key,
        tenant,
        version: version.number,
        at: platform.now(),
        endedAt: null,
        isError: false,
        microUsd: 0,
        tokens: 0,
      };
      const take = { op: "item.take", run, was: item.attempt, revision, birth: row.key } as const;
      return [fleetWrite(take)];
    };
    try {
      const request = requestOfItem(entry, item, version);
      await spawner.spawnOn(request, { writes, standingUntil: version.givenAt });
    } catch (error) {
      if (born !== undefined) throw error;
      return this.#notBegun(entry, item, version, error);
    }
    if (store.kind === "sqlite") return "begun";
    const there = await store.fleetItem(fleet, item.id);
    if (there?.process === born!.key) return "begun";
    admission.remove(born!.key); // another node, or a change, was first
    this.runs.delete(born!.key);
    return "stop";
  }

  #notBegun(
    entry: FleetEntry,
    item: FleetItemRow,
    version: AgentVersion,
    error: unknown,
  ): "failed" | "stop" {
    const { journal, platform } = this.#parts;
    if (error instanceof ChangedProgram) {
      entry.problem = `the program of version ${version.number} is not what it was when that was written; \`aos fleet roll ${entry.row.name} FILE\` takes it as a new version`;
      return "stop";
    }
    if (!(error instanceof SysError)) throw error;
    if (error.code === "EAGAIN") {
      entry.limitedBy = `admission: ${error.message}`;
      return "stop";
    }
    if (NOT_ITS_FAULT.has(error.code)) throw error;
    const { restart } = fleetOfVersion(entry, version.number);
    const attempt = item.attempt + 1;
    const { crashes } = item;
    const failed = { attempt, crashes, effects: 0, reason: error.message };
    const decision = afterFailure(restart, failed);
    const at = platform.now();
    const notBefore = decision.state === "waiting" ? at + decision.afterMs : at;
    const { state, reason } = decision;
    const end = { fleet: entry.row.key, id: item.id, was: item.attempt, state, reason, notBefore };
    journal.write(
      fleetWrite({ op: "item.fail", ...end, at }),
      ...(state === "dead" ? [this.#died(entry, item, reason)] : []),
    );
    return "failed";
  }

  #died(entry: FleetEntry, item: FleetItemRow, reason: string): Write {
    const detail = `${item.id}: ${reason}`;
    return eventWrite(this.#parts.platform, entry.row, { what: "dead", by: "kernel", detail });
  }

  /** Its process has ended. */
  async settle(entry: FleetEntry, item: FleetItemRow): Promise<void> {
    const { store, journal, platform } = this.#parts;
    const process = item.pid === null ? undefined : await store.process(item.pid);
    if (process !== undefined && process.endedAt === null) return;
    const { microUsd, tokens } = await store.spentByTree(item.process!);
    const at = platform.now();
    const isDone = process?.state === "completed";
    const { restart } = fleetOfVersion(entry, item.version ?? entry.spec.stable);
    const decision = isDone
      ? ({ state: "done", reason: null } as const)
      : process === undefined
        ? ({ state: "dead", reason: `${item.pid} is removed: nobody knows how it ended` } as const)
        : afterFailure(restart, {
            attempt: item.attempt,
            crashes: item.crashes,
            effects: await this.#effectsOf(item.process!),
            reason: isPoisonous(restart, item)
              ? `the host died ${item.crashes} times while it ran`
              : (process.error?.message ?? `${item.pid} was ${process.state}`),
          });
    const { state, reason } = decision;
    const notBefore = decision.state === "waiting" ? at + decision.afterMs : at;
    const end = { fleet: entry.row.key, id: item.id, process: item.process!, state, reason };
    const spent = { microUsd, tokens, month: monthOf(item.begunAt ?? at) };
    journal.write(
      fleetWrite({ op: "item.end", ...end, notBefore, at, isError: !isDone, ...spent }),
      ...(state === "dead" ? [this.#died(entry, item, reason!)] : []),
    );
    this.runs.delete(item.process!);
    this.#stopped.delete(item.process!);
  }

  /** External effects that any run of the tree began. */
  async #effectsOf(root: ProcessKey): Promise<number> {
    const { store } = this.#parts;
    let effects = 0;
    for (const { key } of await store.tree(root))
      for (const { text } of await store.records(key))
        if (text.startsWith('{"kind":"intent"') && !text.slice(0, 200).includes('"call":"request"'))
          effects += 1;
    return effects;
  }

  /** Ends what has taken the host with it too often. */
  async stopPoisonous(entry: FleetEntry, running: readonly FleetItemRow[]): Promise<void> {
    const { store, router } = this.#parts;
    for (const item of running) {
      const { restart } = fleetOfVersion(entry, item.version ?? entry.spec.stable);
      if (!isPoisonous(restart, item) || this.#stopped.has(item.process!)) continue;
      const process = await store.process(item.pid!);
      if (process === undefined || process.endedAt !== null) continue;
      this.#stopped.add(item.process!);
      await router.signal(process, "SIGKILL", `fleet ${entry.row.name}`);
    }
  }
}

/** FLEET-ATTEMPTS-2. */
function requestOfItem(entry: FleetEntry, item: FleetItemRow, version: AgentVersion): SpawnRequest {
  const { budget, lane, label } = fleetOfVersion(entry, version.number);
  const { manifest, agent, source, capabilities } = version;
  const { usd, tokens, toolCalls, wall } = budget ?? {};
  const own = readLabel(item.label);
  return {
    ...(manifest === null ? { agent } : { manifest: manifest as never }),
    ...(source.folder === undefined ? {} : { folder: source.folder }),
    ...(source.registeredAs === undefined ? {} : { registeredAs: source.registeredAs }),
    ...(source.workspace === undefined ? {} : { workspace: source.workspace }),
    input: JSON.parse(item.input) as Json,
    label: label === undefined ? own : join(own, readLabel(label)),
    ...(lane === undefined ? {} : { lane }),
    ...(budget === undefined
      ? {}
      : {
          budget: {
            ...(usd === undefined ? {} : { usd }),
            ...(tokens === undefined ? {} : { tokens }),
            ...(toolCalls === undefined ? {} : { toolCalls }),
            ...(wall === undefined ? {} : { wallMs: wall }),
          },
        }),
    capabilities,
    tenant: entry.tenantName,
    by: `fleet:${entry.row.name}`,
  };
}
