// Tidy: consolidates the long-term memory of agents. Every change is recorded with the rows that it replaced, and can be
// taken back.
//
// TIDY-1  The changes, and the record that they can be taken back by, are one transaction.
// TIDY-2  A row that was written anew since it was looked at stays.
// TIDY-3  Taking back puts each row where it was, with its writer, label and time, unless something stands there now.
// TIDY-4  The record is in no mount: no agent reads it. It is dropped after 30 days.

import {
  AGENT_MEMORY,
  DEFAULT_TENANT,
  SysError,
  type Json,
  type TidyReport,
  type UntidyReport,
} from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import { join, labelText, readLabel } from "../label/label.ts";
import { tidyChanges, tidyKinds, type TidyChange } from "../memory/consolidation.ts";
import type { MemorySearch } from "../memory/memory-search.ts";
import { DEFAULT_TIDY_AFTER_MS } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { Store, Write } from "../store/contract.ts";
import type { FileRow, TenantKey } from "../store/rows.ts";
import type { MemoryQuota } from "../vfs/memory-quota.ts";

export interface TidyRequest {
  readonly tenant?: string | undefined;
  /** One space; all of the tenant where none is named. */
  readonly space?: string | undefined;
  readonly olderThanMs?: number | undefined;
  readonly maxAgeMs?: number | undefined;
  readonly maxRows?: number | undefined;
  readonly dryRun?: boolean | undefined;
  readonly by: string;
}

export interface UntidyRequest {
  readonly id: string;
  readonly tenant?: string | undefined;
  readonly by: string;
}

export interface TidyParts {
  readonly store: Store;
  readonly journal: Journal<Store>;
  readonly ledger: Ledger;
  readonly platform: Platform;
  readonly memory: MemorySearch;
  readonly quota: MemoryQuota;
}

const DAY_MS = 86_400_000;
/** TIDY-4. */
const RECORDS = "/tidied";
const KEEP_MS = 30 * DAY_MS;
const SLICE = 500;
const SHOWN = 100;

interface TidyRecord {
  readonly at: number;
  readonly changes: readonly TidyChange[];
}

export async function tidy(parts: TidyParts, request: TidyRequest): Promise<TidyReport> {
  const { store, journal, platform } = parts;
  const { space, dryRun = false, olderThanMs = DEFAULT_TIDY_AFTER_MS, maxAgeMs, maxRows } = request;
  await journal.durable();
  const tenant = await tenantOf(parts, request.tenant);
  const under = space === undefined ? AGENT_MEMORY : `${AGENT_MEMORY}/${space}`;
  const bySpace = new Map<string, FileRow[]>();
  for await (const row of rowsBelow(store, tenant, under)) {
    const of = row.path.split("/", 4).join("/");
    bySpace.set(of, [...(bySpace.get(of) ?? []), row]);
  }
  const rules = { nowMs: platform.now(), olderThanMs, maxAgeMs, maxRows };
  const changes = [...bySpace.values()].flatMap((rows) => tidyChanges(rows, rules));
  const id =
    dryRun || changes.length === 0 ? null : await apply(parts, request.by, tenant, changes);
  return {
    dryRun,
    id,
    removed: changes.reduce((sum, { removed }) => sum + removed.length, 0),
    written: changes.filter(({ written }) => written !== null).length,
    kinds: Object.fromEntries(
      tidyKinds.map((kind) => [
        kind,
        changes
          .filter((one) => one.kind === kind)
          .reduce((sum, { removed }) => sum + removed.length, 0),
      ]),
    ),
    changes: changes.slice(0, SHOWN).map(({ kind, removed, kept }) => ({
      kind,
      removed: removed.map(({ path }) => path),
      kept,
    })),
  };
}

/** TIDY-1. Answers what it can be taken back by. */
async function apply(
  parts: TidyParts,
  by: string,
  tenant: TenantKey,
  planned: readonly TidyChange[],
): Promise<string> {
  const { store, journal, ledger, platform } = parts;
  const id = String(await store.reserveKeys(1));
  const changes: TidyChange[] = [];
  for (const change of planned) {
    const now = await Promise.all(change.removed.map(({ path }) => store.file(tenant, 0, path)));
    const isSame = change.removed.every((row, at) => isSameRow(row, now[at]));
    if (isSame) changes.push(change); // TIDY-2
  }
  const at = platform.now();
  const rows = changes.flatMap(({ removed }) => removed);
  const label = labelText(rows.map((row) => readLabel(row.label)).reduce(join));
  const record: FileRow = {
    tenant,
    space: 0,
    path: `${RECORDS}/${id}`,
    data: JSON.stringify({ at, changes } satisfies TidyRecord),
    writer: "tidy",
    label,
    writtenAt: at,
  };
  const writes: Write[] = [
    ...rows.map(({ path }): Write => ({ op: "file.remove", tenant, space: 0, path })),
    ...changes.flatMap(({ written }): Write[] =>
      written === null ? [] : [{ op: "file.put", row: written }],
    ),
    { op: "file.put", row: record },
    ...(await outdated(store, tenant, at)),
  ];
  journal.write(...writes);
  settle(parts, tenant, writes);
  const detail: Json = { id, removed: rows.length, changes: changes.length };
  ledger.add({ by, what: "memory.tidy", detail, tenant });
  await journal.durable();
  return id;
}

/** TIDY-3. */
export async function untidy(parts: TidyParts, request: UntidyRequest): Promise<UntidyReport> {
  const { store, journal, ledger } = parts;
  const { id, by } = request;
  await journal.durable();
  const tenant = await tenantOf(parts, request.tenant);
  const record = await store.file(tenant, 0, `${RECORDS}/${id}`);
  if (record === undefined)
    throw new SysError("ENOENT", `there is nothing to take back under ${id}`, {
      hint: "`aos mem tidy` prints the id; it is kept for 30 days",
    });
  const { changes } = JSON.parse(record.data) as TidyRecord;
  const writes: Write[] = [{ op: "file.remove", tenant, space: 0, path: record.path }];
  const kept: string[] = [];
  let restored = 0;
  for (const { removed, written } of changes) {
    if (written !== null && isSameRow(written, await store.file(tenant, 0, written.path)))
      writes.push({ op: "file.remove", tenant, space: 0, path: written.path });
    for (const row of removed) {
      if ((await store.file(tenant, 0, row.path)) !== undefined) {
        kept.push(row.path);
        continue;
      }
      writes.push({ op: "file.put", row });
      restored += 1;
    }
  }
  journal.write(...writes);
  settle(parts, tenant, writes);
  ledger.add({ by, what: "memory.untidy", detail: { id, restored }, tenant });
  await journal.durable();
  return { id, restored, kept };
}

/** TIDY-4. */
async function outdated(store: Store, tenant: TenantKey, nowMs: number): Promise<Write[]> {
  const writes: Write[] = [];
  for await (const { path, writtenAt } of rowsBelow(store, tenant, RECORDS))
    if (writtenAt < nowMs - KEEP_MS) writes.push({ op: "file.remove", tenant, space: 0, path });
  return writes;
}

/** What indexes and quotas know. */
function settle({ memory, quota }: TidyParts, tenant: TenantKey, writes: readonly Write[]): void {
  for (const write of writes) {
    if (write.op === "file.put")
      memory.changed({ tenant, space: 0, path: write.row.path, row: write.row });
    if (write.op === "file.remove")
      memory.changed({ tenant, space: 0, path: write.path, row: null });
  }
  quota.recount(tenant);
}

const isSameRow = (a: FileRow, b: FileRow | undefined): boolean =>
  b !== undefined &&
  a.data === b.data &&
  a.label === b.label &&
  a.writer === b.writer &&
  a.writtenAt === b.writtenAt;

async function* rowsBelow(store: Store, tenant: TenantKey, under: string): AsyncGenerator<FileRow> {
  for (let after: string | undefined; ;) {
    const slice = await store.files({ tenant, space: 0, under, after, limit: SLICE });
    yield* slice;
    if (slice.length < SLICE) return;
    after = slice.at(-1)!.path;
  }
}

async function tenantOf({ store }: TidyParts, name: string = DEFAULT_TENANT): Promise<TenantKey> {
  const key = await store.findTenant(name);
  if (key !== undefined) return key;
  throw new SysError("ENOENT", `unknown tenant ${name}`, {
    hint: "`aos tenant ls` lists the tenants",
  });
}
