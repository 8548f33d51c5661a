// What stands in config.yaml as people write it: `10k`, `256MiB`, `30s`.

import { readBytes, readCount, readDurationMs } from "@aos/protocol";
import { z } from "zod";

const quantity = (read: (text: string | number) => number) =>
  z.union([z.string(), z.number()]).transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
      return z.NEVER;
    }
  });

export const count = quantity(readCount);
/** One at least: none would be for ever. */
export const some = count.refine((value) => value > 0, "expected 1 or more");
export const bytes = quantity(readBytes);
export const duration = quantity(readDurationMs);
