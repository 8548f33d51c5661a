// Checkpoint restart: starts a program from a checkpoint instead of replaying what led to it. The journal records it,
// since the first calls may differ from those of the first run.
//
// CHECKPOINT-RESTART-1  If the first run had done nothing after the checkpoint, the restart begins with a record.
// CHECKPOINT-RESTART-2  Otherwise the restart must make the same calls; if it does not, the first run is replayed
//     from its beginning.

import { plainText } from "../journal/record-text.ts";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import { labelText } from "../label/label.ts";
import type { Platform } from "../platform/clock.ts";
import { loadHistory, type ProcessImage } from "../process/load.ts";
import { recordsFrom } from "../process/recorded-state.ts";
import { narrowingField } from "../process/narrowing.ts";
import type { Process } from "../process/process.ts";

interface Parts {
  readonly journal: Journal<Store>;
  readonly platform: Platform;
}

/** CHECKPOINT-RESTART-1. To be called when the history is loaded and before the program is started. */
export function restartFromCheckpoint(
  { journal, platform }: Parts,
  process: Process,
  image: ProcessImage,
): void {
  if (process.cutAt === null || image.checkpoint === undefined || process.replay?.isDone !== true)
    return;
  const seq = process.seq + 1;
  const { issued, restarts: earlier } = process;
  const label = labelText(process.label);
  const text = plainText({
    kind: "restart",
    seq,
    at: platform.now(),
    cause: process.told,
    why: "checkpoint",
    issued,
    from: image.checkpoint,
    earlier,
    label,
    ...narrowingField(process),
  });
  journal.append(process, text, [{ op: "process.patch", key: process.key, patch: { base: seq } }]);
  process.cutAt = null;
  process.told = seq;
}

/** CHECKPOINT-RESTART-2. The history from where the present life of the program began, checkpoints or not. */
export async function imageBeforeCheckpoint(
  { journal }: Parts,
  process: Process,
): Promise<ProcessImage> {
  const records = await recordsFrom(journal.store, process.key, 0);
  const start = records.findLast(
    (record) => record.kind === "restart" && record.seq < process.cutAt!,
  );
  process.cutAt = null;
  const image = await loadHistory(journal.store, process, start?.seq ?? 0);
  process.cutAt = null;
  return image;
}
