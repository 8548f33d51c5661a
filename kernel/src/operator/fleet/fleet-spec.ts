// FleetSpec: what a fleet's row says, and the fleet as this node has it in memory.

import { fleetSchema, SysError, type Fleet, type FleetText, type RollRule } from "@aos/protocol";
import type { FleetRow } from "../../store/fleet-rows.ts";

/** What was found for it when it was written, and is not in its text. */
export interface FleetSource {
  /** In place of a name: the agent of the home, of a project, or of a file. */
  readonly manifest?: unknown;
  readonly folder?: string;
  readonly registeredAs?: string;
  readonly workspace?: { readonly folder: string; readonly isCow: boolean };
}

/** One version of its agent, as it was when a person wrote it: it stays so. */
export interface AgentVersion {
  readonly number: number;
  readonly agent: string;
  /** Null for a program without one: its name is `agent`. */
  readonly manifest: unknown;
  readonly manifestHash: string;
  readonly programVersion: string;
  /** An executable: its files are compared with `programVersion` at each start. */
  readonly isExecutable: boolean;
  readonly source: FleetSource;
  /** The power of its runs. */
  readonly capabilities: readonly string[];
  /** What stood for the agent then counts; what came later does not. */
  readonly givenAt: number;
  readonly by: string;
}

export interface RollState {
  readonly to: number;
  readonly rule: RollRule;
  /** The text that is the fleet's once it is promoted. */
  readonly text: FleetText;
  readonly isPaused: boolean;
  readonly begunAt: number;
  readonly by: string;
}

export interface FleetSpec {
  readonly text: FleetText;
  /** The stable one, and the one that is rolled out. */
  readonly versions: readonly AgentVersion[];
  readonly stable: number;
  /** The highest number that was given. */
  readonly last: number;
  /** By hand, in place of its text's. */
  readonly bounds?: { readonly min: number; readonly max: number };
  readonly roll: RollState | null;
}

export interface FleetEntry {
  row: FleetRow;
  readonly tenantName: string;
  readonly spec: FleetSpec;
  readonly fleet: Fleet;
  /** Why it does not count: its row is not what a person wrote, or its program has changed. */
  problem: string | undefined;
  /** What kept it from beginning an item at the last look. */
  limitedBy: string | null;
  /** Since when fewer replicas would be enough. */
  idleSince: number | null;
  /** When it is to be looked at next. */
  nextAt: number;
  isNudged: boolean;
  /** What is done to it is done one after the other. */
  turn: Promise<unknown>;
  /** The durable subscription of its topic, once it is known. */
  durable: number | undefined;
  prunedAt: number;
}

export function readFleet(text: unknown): Fleet {
  const parsed = fleetSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = [...issue.path, ...(unknown === undefined ? [] : [unknown])];
  const field = path.map(String).join(".") || "fleet";
  const what = unknown === undefined ? issue.message : "no such field";
  throw new SysError("EINVAL", `fleet: ${field}: ${what}`, { detail: { field } });
}

export function fleetEntry(row: FleetRow, tenantName: string): FleetEntry {
  const spec = JSON.parse(row.spec) as FleetSpec;
  return {
    row,
    tenantName,
    spec,
    fleet: readFleet(spec.text),
    problem: undefined,
    limitedBy: null,
    idleSince: null,
    nextAt: 0,
    isNudged: false,
    turn: Promise.resolve(),
    durable: undefined,
    prunedAt: 0,
  };
}

export const versionOf = ({ spec }: Pick<FleetEntry, "spec">, number: number): AgentVersion =>
  spec.versions.find((version) => version.number === number) ?? stableOf({ spec });

export const stableOf = ({ spec }: Pick<FleetEntry, "spec">): AgentVersion =>
  spec.versions.find(({ number }) => number === spec.stable)!;

/** The text of it that counts for this version. */
export const fleetOfVersion = ({ spec, fleet }: FleetEntry, number: number): Fleet =>
  spec.roll?.to === number ? readFleet(spec.roll.text) : fleet;

export const scaleOf = ({ fleet, spec }: FleetEntry): Fleet["scale"] => ({
  ...fleet.scale,
  ...spec.bounds,
});

/** What one run may spend, in millionths of a dollar. */
export const runMicroUsd = ({ fleet }: FleetEntry): number =>
  Math.floor((fleet.budget?.usd ?? 0) * 1e6);

/** How many runs, with those that go on, the month has money and tokens for. */
export function affordableRuns(entry: FleetEntry, month: number): number {
  const { row, fleet } = entry;
  const { monthly, budget } = fleet;
  const isNow = row.month === month;
  const left = (most: number | undefined, used: number, one: number): number =>
    most === undefined ? Infinity : one === 0 ? Infinity : Math.floor((most - used) / one);
  const usd = monthly?.usd === undefined ? undefined : Math.floor(monthly.usd * 1e6);
  return Math.max(
    0,
    Math.min(
      left(usd, isNow ? row.monthMicroUsd : 0, runMicroUsd(entry)),
      left(monthly?.tokens, isNow ? row.monthTokens : 0, budget?.tokens ?? 0),
    ),
  );
}

export const monthOf = (at: number): number => {
  const date = new Date(at);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
};
