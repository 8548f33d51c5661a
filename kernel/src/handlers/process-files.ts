// read and list below /proc: the process, its parent and its descendants.
//
//   /proc/self/status, /proc/PID/status   agent, state, parent and exit code; no input and no output
//
// PROCESS-FILES-1  A process that is no kin of the reader is absent, as one that never was.

import { SysError, type Json, type Label } from "@aos/protocol";
import { join, labelText, readLabel } from "../label/label.ts";
import type { Process } from "../process/process.ts";
import type { ListedProcess, ProcessKey } from "../store/rows.ts";
import type { FileServices } from "./services.ts";
import { absentFile, wholeOrPiece, type VirtualFiles } from "./virtual-files.ts";

const PROC = "/proc";
const MOST_LISTED = 1000;
/** Deeper than any tree may be (limits.spawnDepth). */
const DEEPEST = 64;

export const processFiles: VirtualFiles = {
  async list(services, process, path) {
    const { store } = services.journal;
    await services.journal.durable();
    if (path !== PROC) {
      const row = await kinAt(services, process, path.slice(PROC.length + 1));
      if (row === undefined) throw absentFile(path, PROC);
      return { value: [`${path}/status`], label: labelOf(process, row) };
    }
    const children = await store.processes({ parent: process.key, limit: MOST_LISTED });
    const pids = [process.row.parentPid, ...children.map(({ pid }) => pid)].filter(
      (pid) => pid !== null,
    );
    return { value: ["self", ...pids].map((pid) => `${PROC}/${pid}/status`) };
  },
  async read(services, process, path, piece) {
    const [, , pid = "", file] = path.split("/");
    const isStatus = file === "status" && path.split("/").length === 4;
    await services.journal.durable();
    const row = isStatus ? await kinAt(services, process, pid) : undefined;
    if (row === undefined) throw absentFile(path, PROC);
    return {
      value: wholeOrPiece(statusOf(process, row), piece),
      label: labelOf(process, row),
    };
  },
};

/** PROCESS-FILES-1. */
async function kinAt(
  { journal: { store } }: FileServices,
  process: Process,
  pid: string,
): Promise<ListedProcess | undefined> {
  if (pid === "self" || pid === process.pid) return process.row;
  const row = await store.process(pid).catch((error: unknown) => {
    if (error instanceof SysError) return undefined;
    throw error;
  });
  if (row === undefined || row.tenant !== process.tenant) return undefined;
  if (row.key === process.row.parent) return row;
  let above: ProcessKey | null = row.parent;
  for (let depth = 0; above !== null && depth < DEEPEST; depth++) {
    if (above === process.key) return row;
    above = (await store.processByKey(above))?.parent ?? null;
  }
  return undefined;
}

function statusOf(process: Process, row: ListedProcess): Json {
  const isSelf = row.key === process.key;
  return {
    pid: row.pid,
    agent: row.agent,
    state: isSelf ? process.visibleState : row.state,
    waitingOn: isSelf ? process.waitingOn : row.waitingOn,
    parent: row.parentPid,
    exitCode: row.exitCode,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    lane: row.lane ?? null,
    ...(isSelf ? { label: labelText(process.label) } : {}),
  };
}

/** How another has fared may come of what it read. */
const labelOf = (process: Process, row: ListedProcess): Label =>
  row.key === process.key || row.label === null
    ? process.label
    : join(process.label, readLabel(row.label));
