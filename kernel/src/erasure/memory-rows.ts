// Memory rows: which files of memory are meant, and what of them was copied elsewhere: their passages, and the vectors
// of these.

import type { Json } from "@aos/protocol";
import { dayOf } from "../memory/dates.ts";
import { embeddingDigest } from "../memory/embedding-backlog.ts";
import { embeddingText } from "../memory/embedding-text.ts";
import { memoryContentOf } from "../memory/content.ts";
import { IndexSegment } from "../memory/segment.ts";
import type { Store } from "../store/contract.ts";
import type { FileRow, TenantKey } from "../store/rows.ts";
import type { WantedText } from "./wanted-text.ts";

/** What a person names; all of what is said must be so. */
export interface MemorySelection {
  readonly about?: WantedText | undefined;
  /** A file, or a folder. */
  readonly path?: string | undefined;
  readonly pid?: string | undefined;
  /** The agent of the process that wrote it last. */
  readonly writer?: string | undefined;
}

const SLICE = 500;

/** Files of the tenant that outlive processes, at most `most`. */
export async function selectedRows(
  store: Store,
  tenant: TenantKey,
  { about, path, pid, writer }: MemorySelection,
  most: number,
): Promise<FileRow[]> {
  const agents = new Map<string, string | undefined>();
  const agentOf = async (one: string) => {
    if (!agents.has(one)) agents.set(one, (await store.process(one))?.agent);
    return agents.get(one);
  };
  const isMeant = async (row: FileRow): Promise<boolean> =>
    (pid === undefined || row.writer === pid) &&
    (about === undefined || about.isIn(row.path) || about.isIn(row.data)) &&
    (writer === undefined || (await agentOf(row.writer)) === writer);
  const found: FileRow[] = [];
  const own = path === undefined ? undefined : await store.file(tenant, 0, path);
  if (own !== undefined && (await isMeant(own))) found.push(own);
  for (let after: string | undefined; found.length < most;) {
    const slice = await store.files({
      tenant,
      space: 0,
      under: path ?? "/mem",
      after,
      limit: SLICE,
    });
    for (const row of slice) if (found.length < most && (await isMeant(row))) found.push(row);
    if (slice.length < SLICE) break;
    after = slice.at(-1)!.path;
  }
  return found;
}

/** A shorter text may be anybody's. */
const LEAST_CHARACTERS = 16;

/** What others may have read of it and kept: its passages, and the part of its path that is below the space. */
export function copiedTexts(row: FileRow): string[] {
  const below = row.path.replace(/^\/mem\/agents\/[^/]+\//, "");
  return [below, ...passagesOf(row).map(({ passage }) => passage.text)].filter(
    (text) => text.length >= LEAST_CHARACTERS,
  );
}

/** The names of its vectors. */
export const embeddingsOf = (row: FileRow): string[] =>
  passagesOf(row).flatMap((passage) => {
    const text = embeddingText(passage);
    return text === undefined ? [] : [embeddingDigest(passage, text)];
  });

function passagesOf({ path, data, writtenAt, writer, label }: FileRow) {
  const segment = new IndexSegment();
  const content = memoryContentOf(path, JSON.parse(data) as Json, dayOf(writtenAt));
  segment.put({ path, content, writtenAt, writer, label });
  return segment.rows.filter((one) => one !== undefined);
}
