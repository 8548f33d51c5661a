// Provenance: where a file of memory was read. Its data says so itself (`source`), and whoever may write a shared
// folder can write that too: it counts only where the kernel knows who wrote the file.
//
//   await provenanceOf(store, row)    { source }, { claimed } or nothing
//
// PROVENANCE-1  A `source` is the source only in a file that an ingestion wrote last: a process of the program `ingest`
//     that is the first of its tree, of no folder and no executable. A process cannot spawn one, and no manifest of a
//     folder is one. All else is a claim of its writer, and named as that.
// PROVENANCE-2  What retention has removed the writer of is a claim: nobody can say any more who wrote it.

import type { ClaimedSource, Json, PassageSource } from "@aos/protocol";
import type { Store } from "../store/contract.ts";
import type { FileRow, ProcessRow, TenantKey } from "../store/rows.ts";

const PROGRAM = "ingest";
const MOST_KNOWN = 10_000;

/** Who a process is never changes; by tenant and pid. */
const known = new WeakMap<object, Map<string, boolean>>();

export interface Provenance {
  readonly source?: PassageSource;
  readonly claimed?: ClaimedSource;
}

const UNSAID: Provenance = {};

export async function provenanceOf(
  store: Pick<Store, "process">,
  { tenant, writer, data }: Pick<FileRow, "tenant" | "writer" | "data">,
): Promise<Provenance> {
  const source = sourceIn(JSON.parse(data) as Json);
  if (source === undefined) return UNSAID;
  if (await isIngestion(store, tenant, writer)) return { source };
  return { claimed: { ...source, by: writer } };
}

/** PROVENANCE-1. */
export async function isIngestion(
  store: Pick<Store, "process">,
  tenant: TenantKey,
  pid: string,
): Promise<boolean> {
  const answers = known.get(store) ?? new Map<string, boolean>();
  known.set(store, answers);
  const key = `${tenant} ${pid}`;
  const answer = answers.get(key);
  if (answer !== undefined) return answer;
  const row = await store.process(pid);
  const isIt = row !== undefined && row.tenant === tenant && isOfOperator(row);
  if (row !== undefined) {
    if (answers.size >= MOST_KNOWN) answers.clear();
    answers.set(key, isIt);
  }
  return isIt; // PROVENANCE-2: undefined is asked again, and is no ingestion
}

const isOfOperator = ({ parent, spec }: ProcessRow): boolean =>
  spec.program === PROGRAM &&
  parent === null &&
  spec.folder === undefined &&
  spec.command === undefined;

function sourceIn(data: Json): PassageSource | undefined {
  const { source } = (data ?? {}) as { readonly source?: Json };
  const { file, root, commit } = (source ?? {}) as Partial<Record<keyof PassageSource, Json>>;
  if (typeof file !== "string") return undefined;
  return {
    file,
    ...(typeof root === "string" ? { root } : {}),
    ...(typeof commit === "string" ? { commit } : {}),
  };
}
