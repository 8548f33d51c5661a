// Collections: the folders below /mem/shared that were ingested, and what each file in them was read from. A file says
// so itself (`source` in its data): there is no list beside the files that could differ from them.
// What no ingestion wrote is a claim of its writer (vfs/provenance.ts), and says whose.
//
// COLLECTIONS-1  Only durable data is shown, and everything written before the request.
// COLLECTIONS-2  Folders are found by one short query each, however many files they have.

import type { CollectionFile, CollectionReport, Json } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import { join, labelText, readLabel } from "../label/label.ts";
import type { Store } from "../store/contract.ts";
import type { FileRow, TenantKey } from "../store/rows.ts";
import { isIngestion } from "../vfs/provenance.ts";

const MOUNT = "/mem/shared";
const NAMES_A_SLICE = 1000;
/** An agent may have added its own note beside the ingested files. */
const LOOKED_AT = 20;
const USUAL_LIMIT = 1000;

interface Source {
  readonly file: string;
  readonly root: string;
  readonly digest: string;
  readonly commit: string | null;
  readonly claimedBy: string | null;
}

export async function collectionsOf(
  journal: Journal<Store>,
  tenant: TenantKey,
): Promise<CollectionReport[]> {
  await journal.durable(); // COLLECTIONS-1
  const found: CollectionReport[] = [];
  for (let after: string | undefined; ;) {
    const page = { tenant, space: 0, under: MOUNT, after, limit: 1 };
    const [first] = await journal.store.fileNames(page);
    if (first === undefined) return found;
    const name = first.path.slice(MOUNT.length + 1).split("/")[0]!;
    const folder = `${MOUNT}/${name}`;
    if (first.path === folder) {
      after = folder; // a file, and no folder
      continue;
    }
    const report = await collectionOf(journal.store, tenant, name);
    if (report !== undefined) found.push(report);
    after = `${folder}0`; // COLLECTIONS-2: `0` comes after `/`
  }
}

async function collectionOf(
  store: Store,
  tenant: TenantKey,
  name: string,
): Promise<CollectionReport | undefined> {
  const place = { tenant, space: 0, under: `${MOUNT}/${name}` };
  const looked = await store.files({ ...place, limit: LOOKED_AT });
  let source = await firstOf(store, looked);
  let [files, bytes, updatedAt] = [0, 0, 0];
  let label = looked[0] === undefined ? undefined : readLabel(looked[0].label);
  for (let after: string | undefined; ;) {
    const slice = await store.fileNames({ ...place, after, limit: NAMES_A_SLICE });
    for (const row of slice) {
      files++;
      bytes += row.bytes;
      updatedAt = Math.max(updatedAt, row.writtenAt);
      label = label === undefined ? readLabel(row.label) : join(label, readLabel(row.label));
      // Others may have put their files before the ingested ones.
      if (source === undefined || source.claimedBy !== null)
        if (await isIngestion(store, tenant, row.writer)) {
          const file = await store.file(tenant, 0, row.path);
          source = (file && (await sourceOf(store, file))) ?? source;
        }
    }
    if (slice.length < NAMES_A_SLICE) break;
    after = slice.at(-1)!.path;
  }
  if (source === undefined || label === undefined) return undefined;
  return {
    name,
    path: place.under,
    files,
    bytes,
    label: labelText(label),
    updatedAt: new Date(updatedAt).toISOString(),
    root: source.root,
    commit: source.commit,
    claimedBy: source.claimedBy,
  };
}

/** What was ingested before what is claimed. */
async function firstOf(store: Store, rows: readonly FileRow[]): Promise<Source | undefined> {
  const sources = await Promise.all(rows.map((row) => sourceOf(store, row)));
  const known = sources.filter((source) => source !== undefined);
  return known.find(({ claimedBy }) => claimedBy === null) ?? known[0];
}

/** A page of the files of a collection that were ingested, by path. */
export async function collectionFilesOf(
  journal: Journal<Store>,
  { tenant, name }: { readonly tenant: TenantKey; readonly name: string },
  { after, limit = USUAL_LIMIT }: { readonly after?: string; readonly limit?: number },
): Promise<{ files: CollectionFile[]; next: string | null }> {
  await journal.durable();
  const under = `${MOUNT}/${name}`;
  const start = after === undefined ? undefined : `${under}/${after}`;
  const rows = await journal.store.files({ tenant, space: 0, under, after: start, limit });
  const sources = await Promise.all(rows.map((row) => sourceOf(journal.store, row)));
  const files = rows.flatMap((row, at) => {
    const source = sources[at];
    if (source === undefined) return [];
    const { label, writtenAt } = row;
    return [
      {
        path: row.path.slice(under.length + 1),
        ...source,
        bytes: Buffer.byteLength(row.data),
        label,
        writtenAt: new Date(writtenAt).toISOString(),
      },
    ];
  });
  const last = rows.at(-1);
  return {
    files,
    next: rows.length < limit || last === undefined ? null : last.path.slice(under.length + 1),
  };
}

async function sourceOf(store: Store, row: FileRow): Promise<Source | undefined> {
  const { source } = (JSON.parse(row.data) ?? {}) as { readonly source?: Json };
  const { file, root, digest, commit } = (source ?? {}) as Record<string, Json>;
  if (typeof file !== "string" || typeof root !== "string" || typeof digest !== "string")
    return undefined;
  const isKnown = await isIngestion(store, row.tenant, row.writer);
  return {
    file,
    root,
    digest,
    commit: typeof commit === "string" ? commit : null,
    claimedBy: isKnown ? null : row.writer,
  };
}
