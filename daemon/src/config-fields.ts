// Values of config.yaml as people write them: `10k`, `256MiB`, `30s`.

import { readBytes, readCount, readDurationMs, writtenQuantity } from "@aos/protocol";

export const countField = writtenQuantity(readCount);
/** One at least: none would be for ever. */
export const some = countField.refine((value) => value > 0, "expected 1 or more");
export const bytesField = writtenQuantity(readBytes, "bytes");
export const durationField = writtenQuantity(readDurationMs, "duration");
