// Listing: processes by present state.
//
// LISTING-1  A process is listed under the state that `show` reports, at once: in memory its present activity, else
//     its row.
// LISTING-2  A page has `limit` entries unless there are no more, newest first; the next page is `before` its last
//     entry.

import { isEnded, type ProcessInfo, type ProcessState } from "@aos/protocol";
import type { ListFilter } from "../api.ts";
import type { ProcessQuery, ProcessSummary } from "../store/contract.ts";
import type { OpenedStore } from "../store/mail-reports.ts";
import type { TenantKey } from "../store/rows.ts";
import { infoOf } from "./inspect.ts";
import type { StoreIntegrity } from "../audit/store-integrity.ts";
import type { Directory, ProcessTable, TenantKeys } from "../process/process-table.ts";

const DEFAULT_LIMIT = 1000;

interface Parts {
  readonly store: OpenedStore;
  readonly table: ProcessTable;
  readonly integrity: StoreIntegrity;
  readonly directory: Directory;
  readonly tenants: TenantKeys;
}

export async function listProcesses(parts: Parts, filter: ListFilter): Promise<ProcessInfo[]> {
  const { store, directory, tenants } = parts;
  const { tenant, parent, states, limit = DEFAULT_LIMIT, ...rest } = filter;
  const query: ProcessQuery = {
    ...rest,
    ...(tenant === undefined ? {} : { tenant: await tenants.keyOf(tenant) }),
    ...(parent === undefined ? {} : { parent: (await directory.find(parent)).key }),
  };
  if (states === undefined)
    return infosOf(parts, await store.processSummaries({ ...query, limit }));
  const found = await byRows(parts, query, { states, limit });
  const more = await byMemory(parts, query, states);
  const known = new Set(found.map(({ pid }) => pid));
  return [...found, ...more.filter(({ pid }) => !known.has(pid))]
    .sort((a, b) => (a.pid < b.pid ? 1 : -1))
    .slice(0, limit);
}

/** With how many messages wait for each: the store is asked once for all of them. */
async function infosOf(
  { store, table, integrity }: Parts,
  rows: readonly ProcessSummary[],
): Promise<ProcessInfo[]> {
  const sums = await store.mailboxes(rows.map(({ key }) => key));
  const waiting = new Map(sums.map((sum) => [sum.of, sum]));
  return rows.map((row) =>
    integrity.shown(row, infoOf(row, table.whole(row.key), waiting.get(row.key))),
  );
}

/** The row of one that has just begun to wait still says that it runs: those are looked at as well. */
async function byRows(
  parts: Parts,
  query: ProcessQuery,
  { states, limit }: { readonly states: readonly ProcessState[]; readonly limit: number },
): Promise<ProcessInfo[]> {
  const asked = states.includes("waiting") ? [...new Set([...states, "running" as const])] : states;
  const found: ProcessInfo[] = [];
  let { before } = query;
  for (;;) {
    const page = await parts.store.processSummaries({
      ...query,
      states: asked,
      limit,
      ...(before === undefined ? {} : { before }),
    });
    found.push(...(await infosOf(parts, page)).filter(({ state }) => states.includes(state)));
    if (page.length < limit || found.length >= limit) return found;
    before = page.at(-1)!.pid;
  }
}

/** Those that were just woken: their rows say that they wait. */
async function byMemory(
  parts: Parts,
  query: ProcessQuery,
  states: readonly ProcessState[],
): Promise<ProcessInfo[]> {
  if (!states.includes("running") || states.includes("waiting")) return [];
  const infos: ProcessInfo[] = [];
  for (const process of parts.table.all()) {
    if (!process.asleep || !process.isWhole || process.visibleState !== "running") continue;
    const { row } = process;
    if (query.tenant !== undefined && row.tenant !== query.tenant) continue;
    if (query.parent !== undefined && row.parent !== query.parent) continue;
    if (query.root !== undefined && row.root !== query.root) continue;
    if (query.before !== undefined && row.pid >= query.before) continue;
    if (query.prefix !== undefined && !row.pid.startsWith(query.prefix)) continue;
    if (query.pids !== undefined && !query.pids.includes(row.pid)) continue;
    // Whatever else is asked for, the store decides: it has the row, though not its state.
    const { states: _, before: __, ...rest } = query;
    const itself = { ...rest, pids: [row.pid], limit: 1 };
    const [current] = await infosOf(parts, await parts.store.processSummaries(itself));
    if (current !== undefined && current.state === "running") infos.push(current);
  }
  return infos;
}

/** How many there are in each state, by the same rule. */
export async function countStates(
  { store, table }: { readonly store: OpenedStore; readonly table: ProcessTable },
  tenant?: TenantKey,
): Promise<Partial<Record<ProcessState, number>>> {
  const counts = await store.countByState(tenant);
  const move = (from: ProcessState, to: ProcessState) => {
    if (from === to || (counts[from] ?? 0) === 0) return;
    counts[from]! -= 1;
    counts[to] = (counts[to] ?? 0) + 1;
  };
  for (const process of table.all()) {
    if (!process.isWhole || process.state !== "running" || isEnded(process.state)) continue;
    if (tenant !== undefined && process.tenant !== tenant) continue;
    move(process.asleep ? "waiting" : "running", process.visibleState);
  }
  for (const state of Object.keys(counts) as ProcessState[])
    if (counts[state] === 0) delete counts[state];
  return counts;
}
