// read and list below /state/checkpoints: the state of the last checkpoint, by the number of its record. Older states
// are replaced by it.

import { parseRecord } from "../journal/record-text.ts";
import { stateOf } from "../process/load.ts";
import type { Process } from "../process/process.ts";
import type { FileServices } from "./services.ts";
import { absentFile, wholeOrPiece, type VirtualFiles } from "./virtual-files.ts";

const CHECKPOINTS = "/state/checkpoints";

export const checkpointFiles: VirtualFiles = {
  async list(services, process, path) {
    if (path !== CHECKPOINTS) throw absentFile(path, CHECKPOINTS);
    const last = await lastCheckpoint(services, process);
    return { value: last === undefined ? [] : [`${CHECKPOINTS}/${last.seq}`] };
  },
  async read(services, process, path, piece) {
    const last = await lastCheckpoint(services, process);
    const { store } = services.journal;
    const state =
      last === undefined || path !== `${CHECKPOINTS}/${last.seq}`
        ? undefined
        : await stateOf(last, (digest) => store.blob(process.tenant, digest));
    if (state === undefined) throw absentFile(path, CHECKPOINTS);
    return { value: wholeOrPiece(state, piece) };
  },
};

async function lastCheckpoint({ journal }: FileServices, { key, checkpointSeq: seq }: Process) {
  await journal.durable();
  const [row] = await journal.store.records(key, { after: seq - 1, upTo: seq });
  const record = row === undefined ? undefined : parseRecord(row.text);
  const isOne = record?.kind === "call" && record.call === "checkpoint" && record.err === undefined;
  return isOne ? record : undefined;
}
