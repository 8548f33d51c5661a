// Sync collection: brings a collection up to what is in a folder. What changed is sent, what is gone is forgotten, and
// what is the same costs the reading of it here.
//
// SYNC-1  A file is unchanged if an ingestion wrote it and its digest, its root and its label are the same; times are
//     not looked at. What somebody else wrote in its place is written again.
// SYNC-2  Forgotten is only what was ingested from the same root. What could not be read is kept.
// SYNC-3  A file that stands in the way of one from another root is an error: neither replaces the other.
// SYNC-4  What gets another label is removed first: a process that may write untrusted text may not replace trusted.

import { basename, join } from "node:path";
import type { Client } from "@aos/client";
import { SysError } from "@aos/protocol/failures";
import type { CollectionFile } from "@aos/protocol/words";
import { listCollection } from "../collection-files.ts";
import { IngestQueue } from "./ingest-queue.ts";
import { extractEntries, isContainer, type ExtractedEntry } from "./extract-text.ts";
import { gitCommitOf } from "./git-commit.ts";
import { hasSecretContent } from "./secret-like.ts";
import { collectionPath } from "./collection-path.ts";
import { readWithin, walkFolder, type SkippedFile, type WalkedFile } from "./walk-folder.ts";

export interface SyncRequest {
  readonly name: string;
  /** A folder; everything below it, or only these files of it. */
  readonly root: string;
  readonly only?: readonly string[];
  readonly label: string;
  readonly tenant?: string | undefined;
  readonly isDryRun: boolean;
  readonly maxBytes: number;
  readonly onProgress: (done: number, total: number, file: string) => void;
}

export interface SyncReport {
  readonly name: string;
  readonly path: string;
  readonly root: string;
  readonly commit: string | null;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Of what was sent. */
  readonly bytes: number;
  readonly skipped: readonly SkippedFile[];
  readonly dryRun: boolean;
}

const MAX_CONTAINER_BYTES = 64 * 1024 * 1024;
const MOST_NAME = 1900;

export async function syncCollection(client: Client, request: SyncRequest): Promise<SyncReport> {
  const { name, root, label, tenant, isDryRun } = request;
  const of = { name, ...(tenant === undefined ? {} : { tenant }) };
  const files = await listCollection(client, of);
  const known = new Map(files.map((file) => [file.path, file]));
  const commit = await gitCommitOf(root);
  const sender = new IngestQueue((batch) => client.ingest({ ...of, ...batch }), {
    label,
    isDryRun,
  });
  const skipped: SkippedFile[] = [];
  const kept = new Set<string>();
  const counts = { added: 0, changed: 0, unchanged: 0 };
  let done = 0;
  const skip = (one: SkippedFile) => void skipped.push(one);
  const all: WalkedFile[] = [];
  for await (const walked of filesOf(request, skip)) all.push(walked);
  for (const walked of all) {
    request.onProgress(++done, all.length, walked.file);
    const entries = await entriesOf(root, walked, request.maxBytes, skip);
    if (entries === undefined) keepBelow(known, walked.file, root, kept); // SYNC-2
    for (const entry of entries ?? []) {
      const file = entry.name === "" ? walked.file : `${walked.file}#${entry.name}`;
      const path = collectionPath(walked.file, entry.name);
      if (path.length > MOST_NAME) skip({ file, reason: "name too long" });
      else if (kept.has(path)) skip({ file, reason: "same name" });
      else {
        const before = known.get(path);
        mustBeOurs(path, before, root, name); // SYNC-3
        const isSame =
          before?.digest === entry.digest && before.label === label && before.claimedBy === null; // SYNC-1
        if (isSame) {
          counts.unchanged++;
          kept.add(path);
          continue;
        }
        const made = await contentOf(entry);
        if ("skip" in made) {
          const { skip: reason, detail } = made;
          skip({ file, reason, ...(detail === undefined ? {} : { detail }) });
          if (reason === "unreadable") kept.add(path); // SYNC-2
          continue;
        }
        kept.add(path);
        counts[before === undefined ? "added" : "changed"]++;
        if (before !== undefined && before.label !== label) await sender.remove(path); // SYNC-4
        const source = {
          file,
          root,
          digest: entry.digest,
          ...(commit === undefined ? {} : { commit }),
        };
        await sender.write({ path, source, ...made });
      }
    }
  }
  const gone = request.only === undefined ? goneFrom(known, root, kept) : [];
  for (const path of gone) await sender.remove(path);
  await sender.end();
  return {
    name,
    path: `/mem/shared/${name}`,
    root,
    commit: commit ?? null,
    ...counts,
    removed: gone.length,
    bytes: sender.bytes,
    skipped,
    dryRun: isDryRun,
  };
}

async function* filesOf(
  { root, only }: SyncRequest,
  skip: (skipped: SkippedFile) => void,
): AsyncGenerator<WalkedFile> {
  if (only === undefined) yield* walkFolder(root, skip);
  else for (const file of only) yield { file: basename(file), absolute: join(root, file) };
}

/** Undefined where it could not be read. */
async function entriesOf(
  root: string,
  { file, absolute }: WalkedFile,
  maxBytes: number,
  skip: (skipped: SkippedFile) => void,
): Promise<ExtractedEntry[] | undefined> {
  try {
    const limit = isContainer(file) ? MAX_CONTAINER_BYTES : maxBytes;
    const content = await readWithin(root, absolute, limit);
    if (content === undefined) skip({ file, reason: "too large" });
    else if (content.length === 0) skip({ file, reason: "empty" });
    else return await extractEntries(file, content);
    return [];
  } catch (error) {
    skip({ file, reason: "unreadable", detail: (error as Error).message });
    return undefined;
  }
}

async function contentOf(entry: ExtractedEntry): ReturnType<ExtractedEntry["content"]> {
  try {
    const made = await entry.content();
    if ("skip" in made) return made;
    const text = made.text ?? (made.turns ?? []).map((turn) => turn.text).join("\n");
    if (text.trim() === "") return { skip: "empty" };
    return hasSecretContent(text) ? { skip: "secret-like" } : made;
  } catch (error) {
    return { skip: "unreadable", detail: (error as Error).message };
  }
}

function mustBeOurs(
  path: string,
  before: CollectionFile | undefined,
  root: string,
  name: string,
): void {
  if (before === undefined || before.root === root || before.claimedBy !== null) return;
  throw new SysError("EEXIST", `${path} of ${name} was ingested from ${before.root}`, {
    hint: `pass another --name, or forget the other first: aos ctx rm ${JSON.stringify(name)}`,
  });
}

/** The file and the entries of it. */
function keepBelow(
  known: ReadonlyMap<string, CollectionFile>,
  file: string,
  root: string,
  kept: Set<string>,
): void {
  for (const [path, one] of known)
    if (one.root === root && (one.file === file || one.file.startsWith(`${file}#`))) kept.add(path);
}

const goneFrom = (
  known: ReadonlyMap<string, CollectionFile>,
  root: string,
  kept: ReadonlySet<string>,
): string[] =>
  [...known].flatMap(([path, one]) => (one.root === root && !kept.has(path) ? [path] : []));
