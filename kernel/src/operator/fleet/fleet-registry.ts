// FleetRegistry: what people, and verdicts, do to fleets.
//
// FLEET-REGISTRY-1  A version of the agent is what its manifest, power and program were when a person wrote it. It stays
//     so, whatever the agent is given later.
// FLEET-REGISTRY-2  The row, its entry in the ledger and its event are one commit.
// FLEET-REGISTRY-3  Another version comes by a roll only.

import {
  canonicalText,
  isTopicPattern,
  SysError,
  type FleetText,
  type Json,
  type Manifest,
} from "@aos/protocol";
import { fleetDetail } from "../../audit/fleet-proof.ts";
import { digestOf } from "../../journal/codec.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Ledger } from "../../journal/ledger.ts";
import { readLabel } from "../../label/label.ts";
import type { Platform } from "../../platform/clock.ts";
import type { BlockRegistry } from "../../process/blocks.ts";
import { readCapabilities } from "../../process/process-factory.ts";
import { readManifest, type Programs } from "../../process/programs.ts";
import type { RowKeys } from "../../process/row-keys.ts";
import type { Write } from "../../store/contract.ts";
import { fleetWrite, type FleetRow } from "../../store/fleet-rows.ts";
import type { OpenedStore } from "../../store/mail-reports.ts";
import { scheduleWrite } from "../../store/schedule-rows.ts";
import type { MessageRouter } from "../message-router.ts";
import type { TenantRegistry } from "../tenant-registry.ts";
import { eventWrite, type FleetEventDraft } from "./fleet-events.ts";
import { fleetSubscriber, ITEMS } from "./fleet-queue.ts";
import type { FleetRunner } from "./fleet-runner.ts";
import {
  monthOf,
  readFleet,
  stableOf,
  type AgentVersion,
  type FleetEntry,
  type FleetSource,
  type FleetSpec,
} from "./fleet-spec.ts";

interface Parts {
  readonly store: OpenedStore;
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly platform: Platform;
  readonly node: string;
  readonly keys: RowKeys;
  readonly programs: Programs;
  readonly blocks: Pick<BlockRegistry, "ceilingOf">;
  readonly tenants: Pick<TenantRegistry, "keyOf">;
  readonly router: Pick<MessageRouter, "signal">;
  readonly runner: FleetRunner;
}

export interface FleetDraft {
  /** As it was written. */
  readonly fleet: unknown;
  readonly source?: FleetSource;
  readonly tenant: string;
  readonly by: string;
}

export interface FleetCaller {
  readonly tenant: string;
  readonly by: string;
}

type Change = Partial<Pick<FleetRow, "paused" | "draining" | "replicas">> & {
  readonly spec?: FleetSpec;
  readonly happening: Omit<FleetEventDraft, "by">;
};

export class FleetRegistry {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** FLEET-REGISTRY-3. */
  async apply(draft: FleetDraft, mustBeNew: boolean): Promise<FleetRow> {
    const { store, journal } = this.#parts;
    const { text, fleet, version, key } = await this.#read(draft);
    await journal.durable();
    const before = await store.fleet(key, fleet.name);
    if (before === undefined) return this.#create(draft, { key, text, version });
    if (mustBeNew)
      throw new SysError("EEXIST", `the fleet ${fleet.name} already exists`, {
        hint: `aos fleet apply changes it, and aos fleet roll ${fleet.name} FILE its agent`,
      });
    return this.change(fleet.name, draft, ({ spec }) => {
      const now = stableOf({ spec });
      if (!isSameVersion(now, version))
        throw new SysError("ESTATE", `the agent of ${fleet.name} would be another version`, {
          hint: `aos fleet roll ${fleet.name} FILE brings it out, some items first`,
        });
      const { bounds: _, ...rest } = spec;
      const happening = { what: "changed", detail: "its text" } as const;
      return { spec: { ...rest, text }, happening };
    });
  }

  async #create(
    draft: FleetDraft,
    made: { key: number; text: FleetText; version: AgentVersion },
  ): Promise<FleetRow> {
    const { keys, node, platform, runner } = this.#parts;
    const { key: tenant, text, version } = made;
    const now = platform.now();
    const fleet = readFleet(text);
    const spec: FleetSpec = { text, versions: [version], stable: 1, last: 1, roll: null };
    const row: FleetRow = {
      key: await keys.take(),
      tenant,
      name: fleet.name,
      node,
      revision: 1,
      spec: JSON.stringify(spec),
      paused: null,
      draining: null,
      replicas: fleet.scale.min,
      scaledAt: now,
      isTended: true,
      month: monthOf(now),
      monthMicroUsd: 0,
      monthTokens: 0,
      createdAt: now,
      updatedAt: now,
    };
    const { agent, manifestHash } = version;
    const detail = `version 1: ${agent} ${manifestHash.slice(0, 12)}`;
    await this.#write(row, 0, draft, { what: "created", by: draft.by, detail });
    await runner.adopt(row);
    return row;
  }

  scale(name: string, of: FleetCaller, bounds: { min?: number; max?: number }): Promise<FleetRow> {
    return this.change(name, of, ({ spec, fleet, row }) => {
      const before = { min: fleet.scale.min, max: fleet.scale.max, ...spec.bounds };
      const { min = Math.min(before.min, bounds.max ?? Infinity) } = bounds;
      const { max = Math.max(before.max, min) } = bounds;
      if (min > max) throw new SysError("EINVAL", `min ${min} is more than max ${max}`);
      const replicas = Math.min(Math.max(row.replicas, min), max);
      const happening = { what: "scaled", detail: `bounds ${min} to ${max}` } as const;
      return { spec: { ...spec, bounds: { min, max } }, replicas, happening };
    });
  }

  async roll(name: string, draft: FleetDraft): Promise<FleetRow> {
    const { text, fleet, version } = await this.#read(draft);
    if (fleet.name !== name)
      throw new SysError("EINVAL", `the fleet is ${fleet.name}, and not ${name}`);
    return this.change(name, draft, ({ spec }) => {
      if (spec.roll !== null)
        throw new SysError("ESTATE", `${name} is rolling to version ${spec.roll.to} already`, {
          hint: `aos fleet roll ${name} --promote, or --rollback`,
        });
      if (isSameVersion(stableOf({ spec }), version))
        throw new SysError("ESTATE", `this is the version that ${name} has`, {
          hint: `aos fleet apply FILE changes the rest of a fleet`,
        });
      const to = spec.last + 1;
      const roll = {
        to,
        rule: fleet.roll,
        text,
        isPaused: false,
        begunAt: this.#parts.platform.now(),
        by: draft.by,
      };
      const versions = [stableOf({ spec }), { ...version, number: to }];
      const { agent, manifestHash } = version;
      const detail = `version ${to}: ${agent} ${manifestHash.slice(0, 12)}`;
      return {
        spec: { ...spec, versions, last: to, roll },
        happening: { what: "rolling", detail },
      };
    });
  }

  decide(
    name: string,
    of: FleetCaller,
    decision: "promote" | "rollback" | "pause" | "resume",
  ): Promise<FleetRow> {
    return this.change(name, of, (entry) => decided(entry, decision, `by ${of.by}`));
  }

  /** By the kernel, in the turn of the fleet. */
  async conclude(entry: FleetEntry, decision: "promote" | "rollback", why: string): Promise<void> {
    await this.#change(entry, { by: "kernel", tenant: entry.tenantName }, (present) =>
      decided(present, decision, why),
    );
  }

  pause(name: string, of: FleetCaller, reason?: string): Promise<FleetRow> {
    const said = saidBy(of, reason);
    const happening = { what: "paused", detail: said } as const;
    return this.change(name, of, () => ({ paused: said, happening }));
  }

  drain(name: string, of: FleetCaller, reason?: string): Promise<FleetRow> {
    const said = saidBy(of, reason);
    const happening = { what: "draining", detail: said } as const;
    return this.change(name, of, () => ({ draining: said, happening }));
  }

  resume(name: string, of: FleetCaller): Promise<FleetRow> {
    const happening = { what: "resumed", detail: `by ${of.by}` } as const;
    return this.change(name, of, () => ({ paused: null, draining: null, happening }));
  }

  async remove(name: string, of: FleetCaller, force: "discard" | "stop" | undefined) {
    const { store, journal, ledger, runner, router } = this.#parts;
    const found = await this.find(name, of.tenant);
    return runner.inTurn(found, async ({ row }) => {
      await journal.durable();
      const { waiting, running } = await store.fleetCounts(row.key);
      if (waiting + running > 0 && force === undefined)
        throw new SysError("ESTATE", `${waiting} items of ${name} wait, and ${running} run`, {
          hint: `aos fleet drain ${name}, or --force discard (running ones go on), or --force stop`,
        });
      const runs = await store.runningItems(row.key);
      const dropped = await this.#unsubscribed(row);
      journal.write(fleetWrite({ op: "fleet.remove", key: row.key }), ...dropped);
      const detail = { ...fleetDetail(row, of.tenant), discarded: waiting, running };
      ledger.add({ what: "fleet.remove", by: of.by, detail, tenant: row.tenant });
      await journal.durable();
      runner.forget(row.key);
      const stopped = force === "stop" ? runs : [];
      for (const { pid } of stopped) {
        const process = await store.process(pid!);
        if (process !== undefined && process.endedAt === null)
          await router.signal(process, "SIGTERM", `fleet ${name}`);
      }
      return { discarded: waiting, stopped: stopped.length };
    });
  }

  async find(name: string, tenant: string): Promise<FleetRow> {
    const key = await this.#parts.tenants.keyOf(tenant);
    await this.#parts.journal.durable();
    const row = await this.#parts.store.fleet(key, name);
    if (row !== undefined) return row;
    throw new SysError("ENOENT", `unknown fleet ${name}`, { hint: "`aos fleet ls` lists them" });
  }

  async change(
    name: string,
    of: FleetCaller,
    change: (entry: FleetEntry) => Change,
  ): Promise<FleetRow> {
    const { runner } = this.#parts;
    const found = await this.find(name, of.tenant);
    return runner.inTurn(found, (entry) => this.#change(entry, of, change));
  }

  async #change(
    entry: FleetEntry,
    of: FleetCaller,
    change: (entry: FleetEntry) => Change,
  ): Promise<FleetRow> {
    const { platform, runner } = this.#parts;
    const { happening, spec, ...changed } = change(entry);
    const { row } = entry;
    const next: FleetRow = {
      ...row,
      ...changed,
      ...(spec === undefined ? {} : { spec: JSON.stringify(spec) }),
      revision: row.revision + 1,
      updatedAt: platform.now(),
    };
    await this.#write(next, row.revision, of, { ...happening, by: of.by });
    await runner.adopt(next);
    return next;
  }

  /** FLEET-REGISTRY-2. */
  async #write(
    row: FleetRow,
    was: number,
    of: FleetCaller,
    happening: FleetEventDraft,
  ): Promise<void> {
    const { journal, ledger, store, platform } = this.#parts;
    const { revision, paused, draining } = row;
    const subscription = await this.#subscription(row, was);
    const detail = { ...fleetDetail(row, of.tenant), revision, paused, draining };
    journal.write(
      fleetWrite({ op: "fleet.put", row, was }),
      ...subscription,
      eventWrite(platform, row, happening),
    );
    const said = { ...detail, event: happening.what, of: happening.detail };
    ledger.add({ what: "fleet.set", by: of.by, detail: said, tenant: row.tenant });
    await journal.durable();
    const there = await store.fleet(row.tenant, row.name);
    if (there?.key === row.key && there.revision === revision && there.spec === row.spec) return;
    throw new SysError("ESTATE", `${row.name} was changed on another node meanwhile`, {
      hint: "look at it again, and repeat the change",
    });
  }

  /** The durable subscription of its topic is made, changed and dropped with its row. */
  async #subscription(row: FleetRow, was: number): Promise<Write[]> {
    const { store, keys } = this.#parts;
    const { topic } = readFleet((JSON.parse(row.spec) as FleetSpec).text);
    const agent = fleetSubscriber(row.name);
    const before = await store.durableSubscription(row.tenant, agent, ITEMS);
    if (was > 0 && before?.topic === topic) return [];
    const dropped = await this.#unsubscribed(row);
    if (topic === undefined) return dropped;
    const durable = await keys.take();
    const isPattern = isTopicPattern(topic);
    const of = { tenant: row.tenant, agent, name: ITEMS };
    const made = { key: durable, ...of, topic, isPattern, process: -durable };
    return [...dropped, { op: "durable.put", row: made }];
  }

  async #unsubscribed({ tenant, name, key }: FleetRow): Promise<Write[]> {
    const { store } = this.#parts;
    const before = await store.durableSubscription(tenant, fleetSubscriber(name), ITEMS);
    if (before === undefined) return [];
    return [scheduleWrite({ op: "backlog.drop", key, durable: before.key })];
  }

  /** FLEET-REGISTRY-1. */
  async #read({ fleet: text, source = {}, tenant, by }: FleetDraft) {
    const { programs, blocks, platform, tenants } = this.#parts;
    const fleet = readFleet(text);
    const key = await tenants.keyOf(tenant);
    if (fleet.label !== undefined) mustBeLabel(fleet.label);
    const asked = readCapabilities(fleet.capabilities ?? []);
    const given = source.manifest ?? fleet.manifest;
    const found =
      given === undefined
        ? programs.manifestOf(fleet.agent!, asked)
        : { manifest: readManifest(given as never), isBare: false, folder: source.folder };
    const {
      manifest,
      isBare,
      folder = source.folder,
    } = found as typeof found & {
      folder?: string;
    };
    if (manifest.persistent === true)
      throw new SysError("EINVAL", `${manifest.name} is persistent: its runs never end`, {
        hint: "an item is handled by a run that ends",
      });
    const version: AgentVersion = {
      number: 1,
      agent: isBare ? fleet.agent! : manifest.name,
      manifest: isBare ? null : manifest,
      manifestHash: hashOf(manifest),
      programVersion: await programs.versionOf(manifest, folder, blocks.ceilingOf(key)),
      isExecutable: manifest.command !== undefined,
      source: {
        ...(folder === undefined ? {} : { folder }),
        ...(source.workspace === undefined ? {} : { workspace: source.workspace }),
        ...(given === undefined && !isBare ? { registeredAs: fleet.agent! } : {}),
        ...(source.registeredAs === undefined ? {} : { registeredAs: source.registeredAs }),
      },
      capabilities:
        fleet.capabilities === undefined ? readCapabilities(manifest.capabilities) : asked,
      givenAt: platform.now(),
      by,
    };
    return { text: text as FleetText, fleet, version, key };
  }
}

const hashOf = (manifest: Manifest): string =>
  digestOf(canonicalText(manifest as unknown as Json)) as string;

const isSameVersion = (a: AgentVersion, b: AgentVersion): boolean =>
  a.manifestHash === b.manifestHash &&
  a.agent === b.agent &&
  (!a.isExecutable || a.programVersion === b.programVersion) &&
  JSON.stringify([a.capabilities, a.source]) === JSON.stringify([b.capabilities, b.source]);

function decided(
  { spec, row }: FleetEntry,
  decision: "promote" | "rollback" | "pause" | "resume",
  why: string,
): Change {
  const { roll, versions, stable, bounds: _, ...rest } = spec;
  if (roll === null)
    throw new SysError("ESTATE", `${row.name} is not rolling`, {
      hint: `aos fleet roll ${row.name} FILE begins a roll`,
    });
  const { to } = roll;
  if (decision === "pause" || decision === "resume") {
    const isPaused = decision === "pause";
    const detail = `version ${to}: roll ${isPaused ? "paused" : "resumed"} ${why}`;
    const happening = { what: "rolling", detail } as const;
    return { spec: { ...spec, roll: { ...roll, isPaused } }, happening };
  }
  const chosen = decision === "promote" ? to : stable;
  const next: FleetSpec = {
    ...rest,
    text: decision === "promote" ? roll.text : spec.text,
    versions: versions.filter(({ number }) => number === chosen),
    stable: chosen,
    ...(spec.bounds === undefined ? {} : { bounds: spec.bounds }),
    roll: null,
  };
  const what = decision === "promote" ? "promoted" : "rolled-back";
  return { spec: next, happening: { what, detail: `version ${to}: ${why}` } };
}

const saidBy = ({ by }: FleetCaller, reason: string | undefined): string =>
  reason === undefined ? `by ${by}` : `by ${by}: ${reason}`;

function mustBeLabel(text: string): void {
  try {
    readLabel(text);
  } catch {
    throw new SysError("EINVAL", `fleet: label: unknown label ${JSON.stringify(text)}`);
  }
}
