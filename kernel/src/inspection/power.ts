// Power: what a process or an agent holds, what the gate would decide, and why it decided. Read-only.

import {
  colours,
  SysError,
  type HoldingReport,
  type PowerReport,
  type WhyReport,
} from "@aos/protocol";
import { type CapabilityBlock, decideAny, formatCapability } from "../capability/index.ts";
import { explainRefused } from "../refusal/explain.ts";
import { witnesses } from "./witnesses.ts";
import { CLEAN, labelText } from "../label/label.ts";
import { labelOfChain } from "../process/block-label.ts";
import type { HoldingRow, ProcessRow } from "../store/rows.ts";
import {
  accessTo,
  recordedCalls,
  type RecordedCall,
  type RecordedParts,
} from "./recorded-calls.ts";
import type { Platform } from "../platform/clock.ts";
import type { Policies } from "../policy/policies.ts";
import type { TenantKeys } from "../process/process-table.ts";
import { processForQuestions, type InspectedProcessParts } from "./inspected-process.ts";

interface Parts extends InspectedProcessParts {
  readonly platform: Platform;
  readonly policies: Pick<Policies, "layersFor">;
  readonly tenants: TenantKeys;
}

const timeOf = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined || ms === Infinity ? null : new Date(ms).toISOString();

export async function powerOfProcess(parts: Parts, row: ProcessRow): Promise<PowerReport> {
  const process = await processForQuestions(parts, row);
  const label = labelText(process.label);
  const birth = reportOf(process.block, {
    handle: "birth",
    by: row.parentPid ?? "operator",
    givenAt: row.startedAt,
    blocks: row.spec.blocks,
    nowMs: parts.platform.now(),
  });
  const granted: HoldingReport[] = [];
  for (const held of process.grants.values()) {
    // One that is over may have been put away already.
    const block =
      process.holdings.get(held.handle) ?? (await parts.blocks.restore(held.blocks, row.tenant));
    granted.push(reportOf(block, grantOf(held, parts.platform.now())));
  }
  return {
    pid: row.pid,
    agent: row.agent,
    label,
    colour: colours[label.split("/", 1)[0] as keyof typeof colours],
    layers: parts.policies.layersFor(process),
    holdings: [birth, ...granted],
  };
}

export async function powerOfAgent(
  parts: Parts,
  agent: string,
  tenant: string,
): Promise<PowerReport> {
  const rows = await parts.store.standing(await parts.tenants.keyOf(tenant), agent);
  const holdings: HoldingReport[] = [];
  for (const row of rows) {
    const block = await parts.blocks.restore(row.blocks, row.tenant);
    holdings.push(reportOf(block, grantOf(row, parts.platform.now())));
  }
  return { pid: null, agent, label: null, colour: null, layers: [], holdings };
}

interface Given {
  readonly handle: string;
  readonly by: string;
  readonly givenAt: number;
  readonly nowMs: number;
  readonly expiresAt?: number | null;
  readonly reason?: string | null;
  readonly state?: HoldingRow["state"];
  readonly blocks: HoldingRow["blocks"];
}

const grantOf = (row: HoldingRow, nowMs: number): Given => ({ ...row, by: row.givenBy, nowMs });

function reportOf(block: CapabilityBlock, given: Given): HoldingReport {
  const chain: HoldingReport["chain"][number][] = [];
  for (let one: CapabilityBlock | null = block; one !== null; one = one.parent)
    chain.unshift(linkOf(one));
  const { nowMs, expiresAt = null } = given;
  const isDead = chain.some(({ revoked }) => revoked) || given.state === "revoked";
  const isOver = (expiresAt ?? Infinity) <= nowMs;
  return {
    handle: given.handle,
    block: block.id,
    capabilities: block.caps.map(formatCapability),
    chain,
    by: given.by,
    givenAt: timeOf(given.givenAt)!,
    expiresAt: timeOf(expiresAt),
    state: isDead ? "revoked" : isOver ? "expired" : "held",
    standing: block.standing ?? null,
    reason: given.reason ?? null,
    label: labelText(labelOfChain(given.blocks) ?? CLEAN),
  };
}

const linkOf = (block: CapabilityBlock): HoldingReport["chain"][number] => ({
  block: block.id,
  holder: block.holder,
  revoked: block.revoked,
  expiresAt: timeOf(block.expiresAt),
  capabilities: block.held.map(({ capability, usage }) => ({
    text: formatCapability(capability),
    uses: usage.uses,
  })),
});

/** Of the call that record `seq` is about; without one, of the last that there is something to say of. */
export async function whyOf(
  parts: RecordedParts,
  row: ProcessRow,
  seq: number | undefined,
): Promise<WhyReport> {
  let chosen: RecordedCall | undefined;
  for await (const recorded of recordedCalls(parts, row)) {
    if (seq === undefined && (isNotable(recorded) || !isNotable(chosen))) chosen = recorded;
    if (seq === undefined) continue;
    // Calls that are under way at once are recorded one within the other.
    const isIt = recorded.seq === seq || recorded.settledSeq === seq;
    if (isIt || recorded.settledSeq < seq) chosen = recorded;
    if (isIt) break;
  }
  if (chosen === undefined)
    throw new SysError(
      "ENOENT",
      `${row.pid} has made no call${seq === undefined ? "" : ` by then`}`,
    );
  return reportWhy(row.pid, chosen);
}

export function reportWhy(pid: string, chosen: RecordedCall): WhyReport {
  const { err, verdict, call, args, touches } = chosen;
  return {
    pid,
    seq: chosen.seq,
    call,
    args,
    outcome: err === undefined ? "allowed" : isRefused(chosen) ? "refused" : "failed",
    ...(err === undefined ? {} : { code: err.code, message: err.message }),
    ...(err?.detail === undefined ? {} : { detail: err.detail }),
    ...(verdict === undefined ? {} : { verdict }),
    label: labelText(chosen.label),
    touches,
    blocks: blocksFor(chosen),
  };
}

const REFUSALS: ReadonlySet<string> = new Set(["EACCES", "EPOLICY", "EDENIED", "EBUDGET"]);

const isNotable = (recorded: RecordedCall | undefined): boolean =>
  isRefused(recorded) || recorded?.verdict !== undefined;

export const isRefused = (recorded: RecordedCall | undefined): boolean =>
  recorded?.err !== undefined && REFUSALS.has(recorded.err.code);

/** For each touch, every block of the chain that decides and what of it speaks of the touch. */
function blocksFor({ process, action, touches, at }: RecordedCall): WhyReport["blocks"] {
  if (action === undefined) return [];
  return touches.flatMap((touch) => {
    const request = accessTo(touch, action);
    const decision = decideAny(process.holdings, request, at);
    const { via } = decision.allow ? decision : explainRefused(decision);
    return via === undefined ? [] : witnesses(via.block, request, at);
  });
}
