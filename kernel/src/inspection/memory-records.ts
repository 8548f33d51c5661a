// Memory records for people: the files of a tenant that outlive processes, with labels, relations and numbers.
//
// MEMORY-RECORDS-VIEW-1  Only durable data is shown, and everything written before the request.
// MEMORY-RECORDS-VIEW-2  /mem/working belongs to processes and is not among them.
// MEMORY-RECORDS-VIEW-3  Relations are those of a search (fact-relations.ts), over all facts of the same memory.

import {
  AGENT_MEMORY,
  DEFAULT_TENANT,
  plainPath,
  readEpisode,
  readFact,
  SPACE_PARTS,
  storedPath,
  SysError,
  TENANT_SPACE,
  type Fact,
  type Json,
  type MemoryRecordView,
  type MemoryRow,
  type MemoryRows,
  type MemoryRowsQuery,
  type MemoryStats,
} from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import { FactRelations } from "../memory/fact-relations.ts";
import type { Store } from "../store/contract.ts";
import type { FileRow, TenantKey } from "../store/rows.ts";

interface Parts {
  readonly journal: Journal<Store>;
  readonly store: Store;
}

const ROOT = "/mem";
const SLICE = 500;
const LONGEST_CHAIN = 100;

export async function memoryRowsOf(parts: Parts, query: MemoryRowsQuery): Promise<MemoryRows> {
  const { path = ROOT, after, limit = SLICE } = query;
  const tenant = await durableTenant(parts, query.tenant);
  const rows = await parts.store.files({
    tenant,
    space: 0, // MEMORY-RECORDS-VIEW-2
    under: storedPath(plainPath(path)),
    after: after === undefined ? undefined : storedPath(after),
    limit: limit + 1,
  });
  const shown = rows.slice(0, limit).map(rowOf);
  return { rows: shown, next: rows.length > limit ? shown.at(-1)!.path : null };
}

export async function memoryRecordOf(
  parts: Parts,
  { tenant: name, path }: { readonly tenant?: string; readonly path: string },
): Promise<MemoryRecordView> {
  const tenant = await durableTenant(parts, name);
  const stored = storedPath(plainPath(path));
  const row = await parts.store.file(tenant, 0, stored);
  if (row === undefined)
    throw new SysError("ENOENT", `there is no file ${path}`, {
      hint: "`aos mem search` and `aos fs ls /mem/agents` find paths",
    });
  const view = {
    ...rowOf(row),
    kind: kindOf(row),
    replaces: [],
    replacedBy: null,
    contradicts: [],
  };
  const at = stored.lastIndexOf("/facts/");
  if (view.kind !== "fact" || at === -1) return view;
  return { ...view, ...(await relationsOf(parts, tenant, stored, stored.slice(0, at + 6))) };
}

/** MEMORY-RECORDS-VIEW-3. */
async function relationsOf(parts: Parts, tenant: TenantKey, path: string, root: string) {
  const relations = new FactRelations();
  const rows = new Map<string, FileRow>();
  for await (const row of rowsBelow(parts.store, tenant, root)) {
    const fact = factIn(row);
    if (fact === undefined) continue;
    rows.set(row.path, row);
    relations.put({ ...row, content: { fact } });
  }
  const shown = (paths: readonly string[]) =>
    paths.flatMap((one) => relatedOf(rows.get(one)) ?? []);
  const replacer = relations.replacerOf(path, undefined);
  return {
    replaces: shown(chainFrom(rows, path, root)),
    replacedBy: replacer === undefined ? null : (relatedOf(rows.get(replacer.path)) ?? null),
    contradicts: shown(relations.contradicting(path, undefined).map((one) => one.path)),
  };
}

function chainFrom(rows: ReadonlyMap<string, FileRow>, path: string, root: string): string[] {
  const chain: string[] = [];
  for (let at: string | undefined = path; chain.length < LONGEST_CHAIN;) {
    const fact: Fact | undefined = factIn(rows.get(at));
    at = fact?.replaces === undefined ? undefined : `${root}/${fact.replaces}`;
    if (at === undefined || at === path || chain.includes(at)) break;
    chain.push(at);
  }
  return chain;
}

const factIn = (row: FileRow | undefined): Fact | undefined =>
  row === undefined ? undefined : readFact(JSON.parse(row.data));

function relatedOf(row: FileRow | undefined) {
  const fact = factIn(row);
  if (row === undefined || fact === undefined) return undefined;
  const { path, label, writtenAt } = rowOf(row);
  return { path, text: fact.text, label, writtenAt };
}

/** By space; a space is a folder below /mem/agents or /mem/shared. */
export async function memoryStatsOf(
  parts: Parts,
  { tenant: name }: { readonly tenant?: string },
): Promise<MemoryStats[]> {
  const tenant = await durableTenant(parts, name);
  const found = new Map<string, Tally>();
  for await (const row of rowsBelow(parts.store, tenant, ROOT)) {
    const space = shownPath(row.path).split("/").slice(0, 4).join("/");
    const tally = found.get(space) ?? new Tally();
    found.set(space, tally);
    tally.add(row);
  }
  return [...found].map(([space, tally]) => ({ space, ...tally.report() }));
}

class Tally {
  #rows = 0;
  #bytes = 0;
  #oldest = Infinity;
  #newest = 0;
  readonly #kinds: Record<string, number> = {};
  readonly #labels: Record<string, number> = {};

  add(row: FileRow): void {
    this.#rows += 1;
    this.#bytes += Buffer.byteLength(row.data);
    this.#oldest = Math.min(this.#oldest, row.writtenAt);
    this.#newest = Math.max(this.#newest, row.writtenAt);
    const kind = kindOf(row);
    this.#kinds[kind] = (this.#kinds[kind] ?? 0) + 1;
    this.#labels[row.label] = (this.#labels[row.label] ?? 0) + 1;
  }

  report(): Omit<MemoryStats, "space"> {
    return {
      rows: this.#rows,
      bytes: this.#bytes,
      kinds: this.#kinds,
      labels: this.#labels,
      oldest: new Date(this.#oldest).toISOString(),
      newest: new Date(this.#newest).toISOString(),
    };
  }
}

async function* rowsBelow(store: Store, tenant: TenantKey, under: string): AsyncGenerator<FileRow> {
  for (let after: string | undefined; ;) {
    const slice = await store.files({ tenant, space: 0, under, after, limit: SLICE });
    yield* slice;
    if (slice.length < SLICE) return;
    after = slice.at(-1)!.path;
  }
}

/** MEMORY-RECORDS-VIEW-1. */
async function durableTenant(
  { journal, store }: Parts,
  name: string = DEFAULT_TENANT,
): Promise<TenantKey> {
  await journal.durable();
  const tenant = (await store.tenants()).find((one) => one.name === name);
  if (tenant !== undefined) return tenant.key;
  throw new SysError("ENOENT", `unknown tenant ${name}`, {
    hint: "`aos tenant ls` lists the tenants",
  });
}

function kindOf({ data }: FileRow): MemoryRecordView["kind"] {
  const value = JSON.parse(data) as Json;
  if (readFact(value) !== undefined) return "fact";
  return readEpisode(value) === undefined ? "other" : "episode";
}

/** What is from before there were spaces has a name, too. */
const shownPath = (path: string): string =>
  SPACE_PARTS.some((part) => `${path}/`.startsWith(`/mem/${part}/`))
    ? path.replace(/^\/mem/, `${AGENT_MEMORY}/${TENANT_SPACE}`)
    : path;

const rowOf = ({ path, data, writer, label, writtenAt }: FileRow): MemoryRow => ({
  path: shownPath(path),
  data: JSON.parse(data) as Json,
  writer,
  label,
  writtenAt: new Date(writtenAt).toISOString(),
});
