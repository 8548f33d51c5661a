// Estimate: the expected cost of a start. Nothing is started and no model is asked.

import {
  DEFAULT_TENANT,
  SysError,
  limitMicroUsd,
  usdOf,
  type Budget,
  type EstimateReport,
  type Json,
  type Manifest,
  type ModelCard,
  type Spend,
  type SyscallArgs,
} from "@aos/protocol";
import type { SpawnRequest } from "../api.ts";
import type { Devices } from "../device/devices.ts";
import type { Journal } from "../journal/journal.ts";
import type { TenantKeys } from "../process/process-table.ts";
import { manifestBudget } from "../process/process-factory.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessRow } from "../store/rows.ts";
import type { SharedBudgets } from "../budget/shared-budgets.ts";
import type { Platform } from "../platform/clock.ts";
import { worstOf } from "../syscall/action.ts";
import { limitedOutput, type RemainingBudget } from "../syscall/output-limit.ts";
import { contextAt } from "./context.ts";
import { readManifest, type Programs } from "../process/programs.ts";

interface Parts {
  readonly tenants: TenantKeys;
  readonly store: Store;
  readonly journal: Journal<Store>;
  readonly devices: Devices;
  readonly programs: Programs;
  readonly wide: SharedBudgets;
  readonly platform: Platform;
}

/** So many of the last runs are looked at. */
const RUNS = 100;

export async function estimateSpawn(parts: Parts, request: SpawnRequest): Promise<EstimateReport> {
  const { devices, programs } = parts;
  const manifest =
    request.manifest === undefined
      ? programs.manifestOf(request.agent ?? "", request.capabilities ?? []).manifest
      : readManifest(request.manifest);
  const tenant = await parts.tenants.keyOf(request.tenant ?? DEFAULT_TENANT);
  const limit = boundOf(manifestBudget(manifest), request.budget);
  const begun = firstRequest(devices, manifest, request.input ?? null);
  const room = roomOf(limit, await wideFor(parts, request.tenant ?? DEFAULT_TENANT, manifest));
  return {
    of: manifest.name,
    contextTokens: begun.contextTokens,
    contextUsd: begun.contextUsd,
    ...(await pastOf(parts, tenant, manifest.name)),
    limit,
    notes: [...begun.notes, ...notesOnFirst(devices, begun.request, room), ...notesOnLimit(limit)],
  };
}

/** The context at that record is what its first request shows the model. */
export async function estimateFork(
  parts: Parts,
  row: ProcessRow,
  at?: number,
): Promise<EstimateReport> {
  const context = await contextAt(parts, row, at);
  const limit = boundOf(row.spec.budget, undefined);
  return {
    of: `a fork of ${row.pid}`,
    contextTokens: context?.tokens ?? null,
    contextUsd: context?.nextUsd ?? null,
    ...(await pastOf(parts, row.tenant, row.agent)),
    limit,
    notes: [
      "the shared history is not copied and not paid for again: what is paid is what comes after",
      ...(context === undefined
        ? ["no model was asked until that record"]
        : notesOnPrice(parts.devices, context.model)),
      ...notesOnLimit(limit),
    ],
  };
}

export const estimateReplay = (row: ProcessRow): EstimateReport => ({
  of: `a replay of ${row.pid}`,
  contextTokens: null,
  contextUsd: null,
  runs: 0,
  usual: FREE,
  high: FREE,
  limit: { usd: 0, tokens: 0 },
  notes: ["a replay takes every answer from the journal: no model is asked, and no tool runs"],
});

const FREE: Spend = { usd: 0, tokens: 0, toolCalls: 0 };

type Begun = Pick<EstimateReport, "contextTokens" | "contextUsd" | "notes"> & {
  readonly request?: SyscallArgs<"infer">;
};

/** The instructions and the input; tools and skills are described beside them. */
function firstRequest(devices: Devices, manifest: Manifest, input: Json): Begun {
  const nothing = { contextTokens: null, contextUsd: null };
  const model = typeof manifest.model === "string" ? manifest.model : manifest.model?.[0];
  if (model === undefined) return { ...nothing, notes: ["its manifest has no `model`"] };
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const request = requestOf(model, manifest.system, text);
  const measured = measure(devices, request);
  if (typeof measured === "string") return { ...nothing, notes: [measured] };
  const { tokens, card } = measured;
  return {
    request,
    contextTokens: tokens,
    contextUsd: card.price === null ? null : (tokens * card.price.input) / 1_000_000,
    notes: [
      "the first request also describes its tools and skills, and every later one repeats what came before",
      ...notesOnPrice(devices, model),
    ],
  };
}

/** One whose window and price are not told may still say what it costs. */
function notesOnPrice(devices: Devices, model: string): string[] {
  try {
    if (devices.model(model).worstCase({ model, messages: [] }).usd !== null) return [];
  } catch (error) {
    if (error instanceof SysError) return [error.message];
    throw error;
  }
  return [`the price of ${model} is unknown: a budget in usd refuses it`];
}

const requestOf = (
  model: string,
  system: string | undefined,
  input: string,
): SyscallArgs<"infer"> => ({
  model,
  messages: [
    ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
    { role: "user" as const, content: input },
  ],
});

/** What is left of all that is wider than the run. */
async function wideFor(
  { store, wide, platform }: Parts,
  tenantName: string,
  { name: agent, budget }: Manifest,
): Promise<RemainingBudget> {
  const tenant = await store.findTenant(tenantName);
  if (tenant === undefined) return { microUsd: Infinity, tokens: Infinity };
  const left = await wide.of({ tenant, tenantName, agent, budget });
  const now = platform.now();
  return { microUsd: left.left("microUsd", now), tokens: left.left("tokens", now) };
}

const roomOf = (
  { usd, tokens }: EstimateReport["limit"],
  wide: RemainingBudget,
): RemainingBudget => ({
  microUsd: Math.min(usd === null ? Infinity : limitMicroUsd(usd), wide.microUsd),
  tokens: Math.min(tokens ?? Infinity, wide.tokens),
});

/** Whether the first request would be sent, and with how long an answer. */
function notesOnFirst(
  devices: Devices,
  request: SyscallArgs<"infer"> | undefined,
  room: RemainingBudget,
): string[] {
  if (request === undefined) return [];
  const driver = devices.model(request.model);
  const worst = worstOf(driver, request);
  if (worst.unpriced === true) return []; // said beside its price
  const { maxTokens, fitting } = limitedOutput(driver, request, worst, room);
  if (maxTokens !== undefined) return [`its budget limits the first answer to ${maxTokens} tokens`];
  if (fitting === undefined) return [];
  const most = [
    ...(room.microUsd === Infinity ? [] : [`${usdOf(room.microUsd)} usd`]),
    ...(room.tokens === Infinity ? [] : [`${room.tokens} tokens`]),
  ].join(" and ");
  return [
    `the first request would be refused: it could cost ${usdOf(worst.microUsd)} usd and ${worst.tokens} tokens, but only ${most} are left` +
      (fitting === 0 ? "" : `; an answer of ${fitting} tokens (maxTokens) would fit`),
  ];
}

/** What is known, or why nothing is. */
function measure(
  devices: Devices,
  request: SyscallArgs<"infer">,
): { tokens: number; card: ModelCard } | string {
  const { model } = request;
  try {
    return devices.model(model).measure?.(request) ?? `tokens of ${model} cannot be counted here`;
  } catch (error) {
    if (error instanceof SysError) return error.message;
    throw error;
  }
}

/** What the last runs of the agent cost, each with its children: the usual one, and one of the dear ones. */
async function pastOf(
  { store, journal }: Parts,
  tenant: number | undefined,
  agent: string,
): Promise<Pick<EstimateReport, "runs" | "usual" | "high">> {
  await journal.durable();
  const runs = tenant === undefined ? [] : await store.pastRuns(tenant, agent, RUNS);
  const past = runs.map(({ microUsd, ...rest }) => ({ ...rest, usd: usdOf(microUsd) }));
  if (past.length === 0) return { runs: 0, usual: null, high: null };
  return { runs: past.length, usual: quantile(past, 0.5), high: quantile(past, 0.95) };
}

/** Each unit by itself. */
function quantile(past: readonly Spend[], part: number): Spend {
  const at = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1]!;
  return {
    usd: at(past.map(({ usd }) => usd)),
    tokens: at(past.map(({ tokens }) => tokens)),
    toolCalls: at(past.map(({ toolCalls }) => toolCalls)),
  };
}

function boundOf(own: Budget, given: Budget | undefined): EstimateReport["limit"] {
  const least = (a = Infinity, b = Infinity) =>
    Math.min(a, b) === Infinity ? null : Math.min(a, b);
  return { usd: least(own.usd, given?.usd), tokens: least(own.tokens, given?.tokens) };
}

const notesOnLimit = ({ usd, tokens }: EstimateReport["limit"]): string[] =>
  usd === null && tokens === null ? ["it has no budget of its own: -b usd=… sets one"] : [];
