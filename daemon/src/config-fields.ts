// What stands in config.yaml as people write it: `10k`, `256MiB`, `30s`.

import { readBytes, readCount, readDurationMs, writtenQuantity } from "@aos/protocol";

export const count = writtenQuantity(readCount);
/** One at least: none would be for ever. */
export const some = count.refine((value) => value > 0, "expected 1 or more");
export const bytes = writtenQuantity(readBytes);
export const duration = writtenQuantity(readDurationMs);
