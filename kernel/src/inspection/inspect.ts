// Inspect: a process as seen from outside: its row and, if it is in memory, its present activity.

import { DEFAULT_LANE, usdOf } from "@aos/protocol";
import type { ProcessDetail, ProcessId, ProcessInfo } from "@aos/protocol";
import { hexOf } from "../journal/chain.ts";
import type { Process } from "../process/process.ts";
import { recordedLabel } from "../process/recorded-state.ts";
import type { ProcessSummary } from "../store/contract.ts";
import type { MailboxSum, OpenedStore } from "../store/mail-reports.ts";
import type { ProcessRow } from "../store/rows.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

/** What it does now, where that is known here. One that is being rebuilt does what its row says. */
const liveOf = (
  row: Pick<ProcessSummary, "endedAt">,
  loaded: Process | undefined,
): Process | undefined => (row.endedAt !== null || loaded?.replay !== null ? undefined : loaded);

/** The state of a process, and what it waits on. */
export function liveStateOf(
  row: Pick<ProcessSummary, "endedAt" | "state" | "waitingOn">,
  loaded: Process | undefined,
): Pick<ProcessInfo, "state" | "waitingOn"> {
  const live = liveOf(row, loaded);
  return live === undefined
    ? { state: row.state, waitingOn: row.waitingOn }
    : { state: live.visibleState, waitingOn: live.waitingOn };
}

export const processSummary = (row: ProcessRow): ProcessSummary => ({
  ...row,
  deadlineAt: row.spec.deadlineAt ?? null,
  name: row.spec.name ?? null,
});

export function infoOf(
  row: ProcessSummary,
  loaded: Process | undefined,
  waiting: MailboxSum | undefined,
): ProcessInfo {
  const live = liveOf(row, loaded);
  const mailbox = live?.mailbox ?? { depth: 0, oldestAt: null, ...waiting };
  return {
    pid: row.pid as ProcessId,
    agent: row.agent,
    name: row.name,
    ...liveStateOf(row, loaded),
    parent: row.parentPid as ProcessId | null,
    exitCode: row.exitCode,
    costUsd: usdOf(row.microUsd ?? 0),
    startedAt: iso(row.startedAt),
    endedAt: row.endedAt === null ? null : iso(row.endedAt),
    lane: live?.lane ?? row.lane ?? DEFAULT_LANE,
    deadline: row.deadlineAt === null ? null : iso(row.deadlineAt),
    mailbox: {
      depth: mailbox.depth,
      oldestAt: mailbox.oldestAt === null ? null : iso(mailbox.oldestAt),
    },
  };
}

export async function processDetailOf(
  store: OpenedStore,
  row: ProcessRow,
  loaded: Process | undefined,
  place: number | null = null,
): Promise<ProcessDetail> {
  const chain = (await store.chain(row.key))!;
  const [waiting] = await store.mailboxes([row.key]);
  const { forkedFrom } = row.spec;
  return {
    ...infoOf(processSummary({ ...row, microUsd: chain.microUsd }), loaded, waiting),
    place,
    ttl: {
      hops: row.spec.hops ?? null,
      expiresAt: row.spec.expiresAt === undefined ? null : iso(row.spec.expiresAt),
    },
    tenant: await store.tenantName(row.tenant),
    program: row.spec.program,
    programVersion: row.spec.programVersion,
    manifestHash: row.spec.manifestHash,
    depth: row.depth,
    labels: loaded?.label ?? (await recordedLabel(store, row)),
    budget: {
      limit: row.spec.budget,
      spent: { usd: usdOf(chain.microUsd), tokens: chain.tokens, toolCalls: chain.toolCalls },
    },
    output: row.output,
    error: row.error,
    records: chain.seq + 1,
    head: hexOf(chain.hash),
    compacted: row.compacted,
    workspace: {
      tree: row.spec.workspace?.tree ?? row.pid,
      folder: row.spec.workspace?.folder ?? null,
      isCow: row.spec.workspace?.isCow ?? false,
    },
    forkedFrom:
      forkedFrom === undefined ? null : { pid: forkedFrom.pid as ProcessId, at: forkedFrom.at },
  };
}
