// Fork: a new process that shares the history of another up to a record and continues on its own. The history is not
// copied: the new chain continues from the hash of the old one.
//
// FORK-1  Nothing before the fork is executed again.
// FORK-2  A fork gets a copy of the working memory and subscriptions of its origin at that record.
// FORK-3  A fork holds the same blocks as its origin, and with them the same counters.
// FORK-4  A fork runs under the program version of its origin. A fork of a parked process runs under the present
//     version.

import {
  newProcessId,
  SysError,
  type IntentRecord,
  type CallRecord,
  type Json,
  type JournalRecord,
  type ProcessId,
} from "@aos/protocol";
import { mustBeUnerased } from "../audit/erasures.ts";
import { hexOf } from "../journal/chain.ts";
import { encodeText } from "../journal/codec.ts";
import type { ChainEnd } from "../journal/group-commit.ts";
import type { Journal } from "../journal/journal.ts";
import { callText, parseRecord, plainText } from "../journal/record-text.ts";
import type { Platform } from "../platform/clock.ts";
import { startRecordOf } from "../process/process-factory.ts";
import type { BlockRegistry } from "../process/blocks.ts";
import type { RowKeys } from "../process/row-keys.ts";
import { termsFrom } from "../process/scheduling-terms.ts";
import type { Manifests } from "../process/manifests.ts";
import { divergedAt, isParked } from "../scheduler/parking.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessRow, RecordRow } from "../store/rows.ts";
import { memoryAfter } from "./fork-memory.ts";
import type { Programs } from "../process/programs.ts";

interface Parts {
  readonly store: Store;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly keys: RowKeys;
  readonly node: string;
  readonly programs: Pick<Programs, "versionOf">;
  readonly blocks: Pick<BlockRegistry, "ceilingOf">;
  readonly manifests: Manifests;
}

export interface ForkResult {
  readonly key: number;
  readonly pid: ProcessId;
  readonly row: ProcessRow;
}

export async function forkAt(
  parts: Parts,
  origin: ProcessRow,
  at: number | undefined,
): Promise<ForkResult> {
  const { rows, records } = await historyOf(parts, origin);
  const last = records.at(-1)!;
  const shared = at ?? (last.kind === "end" ? last.seq - 1 : last.seq);
  const record = records[shared];
  if (record === undefined || shared < 0)
    throw new SysError("EINVAL", `${origin.pid} has records 0 to ${records.length - 1}`);
  if (record.kind === "end")
    throw new SysError(
      "EINVAL",
      `record ${shared} is the end of the process: fork at an earlier one`,
    );
  return (await begin(parts, origin, rows, records, shared)).forked;
}

export async function retryFrom(
  parts: Parts,
  origin: ProcessRow,
  options: { from?: number; result?: Json },
): Promise<ForkResult> {
  const { rows, records } = await historyOf(parts, origin);
  if (options.from === undefined && isParked(origin)) {
    const shared = (divergedAt(origin) ?? records.length) - 1;
    return (await begin(parts, origin, rows, records, shared)).forked;
  }
  const n = options.from ?? lastThatFailed(records);
  if (n === undefined)
    throw new SysError(
      "EINVAL",
      `no call of ${origin.pid} failed: choose the call to repeat with --from`,
    );
  const call = records.find(
    (record): record is CallRecord | IntentRecord =>
      (record.kind === "call" || record.kind === "intent") && record.n === n,
  );
  if (call === undefined) throw new SysError("EINVAL", `${origin.pid} has no call ${n}`);
  const { forked, end } = await begin(parts, origin, rows, records, call.seq - 1);
  if ("result" in options && options.result !== undefined)
    giveResult(parts, end, call, options.result);
  return forked;
}

async function historyOf(
  { store, journal }: Parts,
  origin: ProcessRow,
): Promise<{ rows: RecordRow[]; records: JournalRecord[] }> {
  await journal.durable();
  if (origin.compacted) {
    throw new SysError(
      "ESTATE",
      `the history of ${origin.pid} was compacted; only its result is left`,
      { hint: "raise the retention to keep more: see `aos gc --help`" },
    );
  }
  await mustBeUnerased(store, origin);
  const rows = await store.records(origin.key);
  return { rows, records: rows.map((row) => parseRecord(row.text)) };
}

function lastThatFailed(records: readonly JournalRecord[]): number | undefined {
  const outcomes = new Set(
    records.filter((record) => record.kind === "outcome").map((record) => record.n),
  );
  return records.findLast(
    (record) =>
      ((record.kind === "call" || record.kind === "outcome") && record.err !== undefined) ||
      (record.kind === "intent" && !outcomes.has(record.n)),
  )?.["n" as never];
}

async function begin(
  parts: Parts,
  origin: ProcessRow,
  rows: RecordRow[],
  records: JournalRecord[],
  shared: number,
) {
  const { platform, journal } = parts;
  const now = platform.now();
  const key = await parts.keys.take();
  const pid = newProcessId(now, platform.bytes(10));
  const { hash } = rows[shared]!;
  const terms = termsFrom(origin.spec, origin.startedAt, now);
  const base = records
    .slice(0, shared + 1)
    .findLast(
      (record) =>
        record.kind === "restart" ||
        (record.kind === "call" && record.call === "checkpoint" && record.err === undefined),
    );
  const row: ProcessRow = {
    ...origin,
    key,
    pid,
    parent: null,
    parentPid: null,
    root: key,
    state: "pending", // rows until it is begun
    waitingOn: null,
    wakeAt: terms.expiresAt ?? null,
    begunAt: null,
    base: base?.seq ?? 0,
    label: null,
    exitCode: null,
    startedAt: now,
    endedAt: null,
    output: null,
    error: null,
    spec: {
      ...inherited(origin.spec),
      ...(isParked(origin) ? { programVersion: await versionNow(parts, origin) } : {}), // FORK-4
      ...terms,
      ...ownWorkspace(origin.spec.workspace),
      forkedFrom: {
        pid: origin.pid,
        key: origin.key,
        at: shared,
        origins: [...(origin.spec.forkedFrom?.origins ?? []), origin.key],
      },
    },
  };
  const before = records.slice(0, shared + 1);
  const memory = await memoryAfter(before, row, (digest) => parts.store.blob(row.tenant, digest));
  journal.write(
    { op: "process.add", row, node: parts.node, shared: { from: origin.key, at: shared, hash } },
    { op: "process.patch", key, patch: { base: row.base } },
    ...memory,
  );
  const end: ChainEnd = { key, pid, tenant: row.tenant, epoch: 1, seq: shared, hash: hexOf(hash) };
  journal.append(
    end,
    plainText({
      kind: "fork",
      seq: shared + 1,
      at: now,
      cause: "operator",
      from: origin.pid,
      shared,
      birth: startRecordOf(row),
    }),
  );
  return { forked: { key, pid, row }, end };
}

/** The version of its program that is here now. */
async function versionNow(parts: Parts, origin: ProcessRow): Promise<string> {
  const { manifests, programs, blocks } = parts;
  const manifest = await manifests.of(origin);
  return programs.versionOf(manifest, origin.spec.folder, blocks.ceilingOf(origin.tenant));
}

/** The call is taken as done, with this result; the program will be told so. */
function giveResult(
  { journal, platform }: Parts,
  end: ChainEnd,
  call: CallRecord | IntentRecord,
  result: Json,
): void {
  const ok = encodeText(JSON.stringify(result));
  const head = { seq: end.seq + 1, at: platform.now(), cause: "operator" };
  const text = callText(head, call.n, call.call, JSON.stringify(call.args), {
    ok: ok.text,
    verdict: "given by the operator",
  });
  journal.append(
    end,
    text,
    ok.blobs.map((blob) => ({ op: "blob.put", tenant: end.tenant, process: end.key, ...blob })),
  );
}

/** A fork is a new tree: its workspace starts as the original's did. */
function ownWorkspace(
  workspace: ProcessRow["spec"]["workspace"],
): Pick<ProcessRow["spec"], "workspace"> {
  if (workspace?.tree === undefined) return {};
  const { tree: _shared, ...own } = workspace;
  return { workspace: own };
}

/** Its items would come twice, and those of the stage before are its origin's. */
function inherited(spec: ProcessRow["spec"]): ProcessRow["spec"] {
  const { pipe: _pipe, name: _name, ...rest } = spec;
  return rest;
}
