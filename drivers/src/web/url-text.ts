// URL texts: the URL argument of a call. A secret is allowed only in the value of a header.

import { z } from "zod";
import { hidesMark } from "./header-text.ts";
import { readUrl } from "./url.ts";

export const noMark = (text: string): boolean => !hidesMark(text);

/** `refusal` is said where a secret's mark is in the URL. */
export const urlText = (refusal: string) =>
  z
    .string()
    .superRefine((text, context) => {
      try {
        readUrl(text);
      } catch (error) {
        context.addIssue({ code: "custom", message: (error as Error).message });
      }
    })
    .refine(noMark, refusal)
    .describe("An http or https URL.");
