// A quantity in a file: `200k`, `30s`, or a plain number where it has a meaning.

import { z } from "zod";

/** `read` is one of quantity.ts; its error is the message for the field. `quantity` is its name in generated pages. */
export const writtenQuantity = (
  read: (text: string | number) => number,
  quantity: "count" | "duration" | "bytes" = "count",
) =>
  z
    .union([z.string(), z.number()])
    .meta({ quantity })
    .transform((text, context) => {
      try {
        return read(text);
      } catch (error) {
        context.addIssue({ code: "custom", message: (error as Error).message });
        return z.NEVER;
      }
    });
