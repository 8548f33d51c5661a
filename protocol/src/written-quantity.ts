// A quantity in a file: `200k`, `30s`, or a plain number where it has a meaning.

import { z } from "zod";

/** `read` is one of quantity.ts; what it throws is what is said of the field. */
export const writtenQuantity = (read: (text: string | number) => number) =>
  z.union([z.string(), z.number()]).transform((text, context) => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
      return z.NEVER;
    }
  });
