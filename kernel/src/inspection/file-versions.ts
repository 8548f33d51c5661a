// File versions for people: what was written to a file of memory over time. Every write is in the journal of its
// writer, so that a version costs nothing when it is written, and is looked up here.
//
//   versionsOf(parts, file, page)      the newest first
//   versionAt(parts, file, version)    what the file held after that write
//
// FILE-VERSIONS-1  A version is a successful `write` or `remove` in a journal of the file's tenant; for working memory,
//     in the journal of the process. Its name is the record: `PID#SEQ`.
// FILE-VERSIONS-2  The label of a version is the one that its record says; where an old record says none, all that its
//     writer had read.
// FILE-VERSIONS-3  What retention removed is not shown, and the answer says that there may have been more.
// FILE-VERSIONS-4  The journal is read in spans, so that commits get their turn.

import {
  AGENT_MEMORY,
  DEFAULT_TENANT,
  mountOf,
  plainPath,
  SPACE_PARTS,
  storedPath,
  SysError,
  TENANT_SPACE,
  type FileVersion,
  type FileVersionReport,
} from "@aos/protocol";
import type { FileVersions, JournalRecord, Json, VersionPage } from "@aos/protocol";
import { decodeArgs } from "../journal/codec.ts";
import type { Journal } from "../journal/journal.ts";
import { parseRecord } from "../journal/record-text.ts";
import { labelText } from "../label/label.ts";
import { recordedLabel, recordsFrom } from "../process/recorded-state.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow, TenantKey } from "../store/rows.ts";

/** A file of memory. */
interface VersionedFile {
  readonly tenant: TenantKey;
  /** As it was asked for. */
  readonly path: string;
  /** As it is stored: a process may name it otherwise. */
  readonly stored: string;
  /** Of working memory: whose. */
  readonly owner?: ProcessRow | undefined;
}

type Parts = { readonly journal: Journal<Store> };
type CallRecord = Extract<JournalRecord, { kind: "call" }>;

interface Change {
  /** Of working memory the seq of its record. */
  readonly place: number;
  readonly row: ProcessRow;
  readonly record: CallRecord;
  readonly kind: FileVersion["change"];
}

/** The file that is meant; EINVAL where no journal has its versions. */
export async function versionedFile(
  { journal: { store } }: Parts,
  path: string,
  { owner, tenant = DEFAULT_TENANT }: { owner?: ProcessRow; tenant?: string | undefined },
): Promise<VersionedFile> {
  const mount = mountOf(plainPath(path));
  if (mount?.driver !== "store" || mount.path === path)
    throw new SysError("EINVAL", `${path} has no versions: it is no file of memory`, {
      hint: "versions are kept of the files below /mem",
    });
  if (mount.path === "/mem/working") {
    if (owner === undefined)
      throw new SysError("EINVAL", `${path} is each process's own`, {
        hint: "name the process: --pid PID",
      });
    if (owner.compacted) throw removed(`the history of ${owner.pid}`);
    return { tenant: owner.tenant, path, stored: path, owner };
  }
  const stored = storedPath(path, owner?.spec.memorySpace);
  if (owner !== undefined) return { tenant: owner.tenant, path, stored };
  const known = (await store.tenantRows()).find(({ name }) => name === tenant);
  if (known === undefined) throw new SysError("ENOENT", `unknown tenant ${tenant}`);
  return { tenant: known.key, path, stored };
}

/** 5 ms of SQLite. */
const SPAN = 5000;
const USUAL_LIMIT = 50;
const PLAIN = "trusted/public";

export async function versionsOf(
  { journal }: Parts,
  file: VersionedFile,
  { after, limit = USUAL_LIMIT }: VersionPage,
): Promise<FileVersions> {
  await journal.durable();
  const { store } = journal;
  const versions: FileVersion[] = [];
  let next: string | null = null;
  let last: Change | undefined;
  for await (const change of changesOf(store, file, placeAfter(after))) {
    if (versions.length === limit) {
      next = String(last!.place);
      break;
    }
    const isCurrent = after === undefined && last === undefined && change.kind !== "remove";
    versions.push(await reported(store, change, isCurrent));
    last = change;
  }
  return { path: file.path, versions, next, isComplete: await isComplete(store, file) };
}

export async function versionAt(
  { journal }: Parts,
  file: VersionedFile,
  version: string,
): Promise<FileVersionReport> {
  await journal.durable();
  const { store } = journal;
  let wanted: Change | undefined;
  let isCurrent = true;
  const added: string[] = [];
  for await (const change of changesOf(store, file, Infinity)) {
    if (wanted === undefined && nameOf(change) !== version) {
      isCurrent = false;
      continue;
    }
    wanted ??= change;
    const said = await reported(store, wanted, isCurrent && wanted.kind !== "remove");
    const known = { path: file.path, ...said };
    if (change.kind === "remove") return { ...known, data: joined(null, added) };
    const { data = null } = await argsOf(store, change);
    if (change.kind === "write") return { ...known, data: joined(data, added) };
    added.unshift(typeof data === "string" ? data : "");
  }
  if (wanted === undefined) throw await unknownVersion(store, file, version);
  // An append to what was not there, if nothing of its history is gone.
  if (await isComplete(store, file))
    return {
      path: file.path,
      ...(await reported(store, wanted, isCurrent)),
      data: joined("", added),
    };
  throw removed(`what ${version} was added to`);
}

const joined = (whole: Json, added: readonly string[]): Json =>
  added.length === 0 ? whole : `${typeof whole === "string" ? whole : ""}${added.join("")}`;

/** FILE-VERSIONS-1, the newest first. */
async function* changesOf(
  store: Store,
  file: VersionedFile,
  before: number,
): AsyncGenerator<Change> {
  if (file.owner === undefined) return yield* sharedChanges(store, file, before);
  const records = await recordsFrom(store, file.owner.key, 0);
  const streams = streamsIn(records);
  for (const record of records.toReversed()) {
    if (record.seq >= before) continue;
    const kind = kindOf(record, streams, (path) => path === file.path);
    if (kind !== undefined)
      yield { place: record.seq, row: file.owner, record: record as CallRecord, kind };
  }
}

async function* sharedChanges(
  store: Store,
  { tenant, stored }: VersionedFile,
  before: number,
): AsyncGenerator<Change> {
  const writers = new Writers(store);
  const end = Math.min(before - 1, await store.lastPlace());
  const words = [
    ...spellingsOf(stored).map((path) => [`"path":${JSON.stringify(path)}`]),
    ['"call":"write"', '"fd":'], // to a stream, whose path another record has
  ];
  for (let upTo = end; upTo > 0; upTo -= SPAN) {
    const after = Math.max(0, upTo - SPAN); // FILE-VERSIONS-4
    for (const { place, process, text } of await store.recordsWith({
      tenant,
      after,
      upTo,
      words,
    })) {
      const record = parseRecord(text);
      if (record.kind !== "call") continue;
      const { fd } = (record.args ?? {}) as { fd?: number };
      const streams = fd === undefined ? NO_STREAMS : await writers.streams(process);
      const row = await writers.row(process);
      const space = row?.spec.memorySpace;
      const kind = kindOf(record, streams, (named) => storedPath(named, space) === stored);
      if (kind !== undefined && row !== undefined) yield { place, row, record, kind };
    }
  }
}

/** What processes may call a file: an agent its own memory by a short name. */
function spellingsOf(stored: string): string[] {
  const [, , first, space = "", ...rest] = stored.split("/");
  if (`/mem/${first}` === AGENT_MEMORY) return [stored, `/mem/${rest.join("/")}`];
  const isOfTenant = SPACE_PARTS.some((part) => part === first);
  return isOfTenant
    ? [stored, `${AGENT_MEMORY}/${TENANT_SPACE}/${[first, space, ...rest].join("/")}`]
    : [stored];
}

type Streams = ReadonlyMap<number, string>;
const NO_STREAMS: Streams = new Map();

function kindOf(
  record: JournalRecord,
  streams: Streams,
  isIt: (path: string) => boolean,
): FileVersion["change"] | undefined {
  if (record.kind !== "call" || record.err !== undefined) return undefined;
  if (record.call !== "write" && record.call !== "remove") return undefined;
  const { path, fd } = (record.args ?? {}) as { path?: string; fd?: number };
  if (path !== undefined) return isIt(path) ? record.call : undefined;
  const opened = fd === undefined ? undefined : streams.get(fd);
  return opened !== undefined && isIt(opened) ? "append" : undefined;
}

/** Numbers of streams are given once. */
const streamsIn = (records: readonly JournalRecord[]): Streams =>
  new Map(
    records.flatMap((record) =>
      record.kind === "call" && record.call === "open" && record.err === undefined
        ? [[record.ok as number, (record.args as { path: string }).path] as const]
        : [],
    ),
  );

/** Rows and streams of processes, each read once. */
class Writers {
  readonly #store: Store;
  readonly #rows = new Map<ProcessKey, Promise<ProcessRow | undefined>>();
  readonly #streams = new Map<ProcessKey, Promise<Streams>>();

  constructor(store: Store) {
    this.#store = store;
  }

  row(key: ProcessKey): Promise<ProcessRow | undefined> {
    return once(this.#rows, key, () => this.#store.processByKey(key));
  }

  streams(key: ProcessKey): Promise<Streams> {
    return once(this.#streams, key, async () => streamsIn(await recordsFrom(this.#store, key, 0)));
  }
}

function once<Value>(
  known: Map<ProcessKey, Promise<Value>>,
  key: ProcessKey,
  ask: () => Promise<Value>,
) {
  const found = known.get(key) ?? ask();
  known.set(key, found);
  return found;
}

const nameOf = ({ row, record }: Change): string => `${row.pid}#${record.seq}`;

async function reported(store: Store, change: Change, isCurrent: boolean): Promise<FileVersion> {
  const { row, record, kind } = change;
  const data = kind === "remove" ? null : await argsOf(store, change).catch(() => undefined);
  return {
    version: nameOf(change),
    change: kind,
    writer: row.pid,
    agent: row.agent,
    writtenAt: new Date(record.at).toISOString(),
    label: kind === "remove" ? null : await labelOf(store, change),
    bytes: data ? Buffer.byteLength(JSON.stringify(data.data ?? null)) : null,
    isCurrent,
  };
}

async function argsOf(store: Store, { row, record }: Change): Promise<{ readonly data?: Json }> {
  try {
    return (await decodeArgs(record.args, (digest) => store.blob(row.tenant, digest))) as object;
  } catch (error) {
    if (error instanceof SysError && error.code === "ECORRUPT")
      throw removed(`the content of ${row.pid}#${record.seq}`);
    throw error;
  }
}

/** FILE-VERSIONS-2. */
async function labelOf(store: Store, { row, record }: Change): Promise<string> {
  if (record.stored !== undefined) return record.stored;
  const [start] = await store.records(row.key, { after: -1, upTo: 0 });
  const first = start === undefined ? undefined : parseRecord(start.text);
  if (first?.kind === "start" && first.schema >= 2) return PLAIN;
  return labelText(await recordedLabel(store, row));
}

/** FILE-VERSIONS-3. */
async function isComplete(store: Store, { owner }: VersionedFile): Promise<boolean> {
  if (owner !== undefined) return !owner.compacted;
  return (await store.countResults()) === 0 && (await store.removals()).length === 0;
}

function placeAfter(after: string | undefined): number {
  if (after === undefined) return Infinity;
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw new SysError("EINVAL", `${after} is not the end of a page of versions`);
}

const removed = (what: string): SysError =>
  new SysError("ESTATE", `${what} is not kept any more`, {
    hint: "retention or an erasure removed it: see `aos gc --help`",
  });

async function unknownVersion(store: Store, file: VersionedFile, version: string) {
  const isWhole = await isComplete(store, file);
  return new SysError("ENOENT", `${file.path} has no version ${version}`, {
    hint: isWhole
      ? `\`aos fs log ${file.path}\` lists its versions`
      : "retention may have removed it; `aos fs log` lists what is left",
  });
}
