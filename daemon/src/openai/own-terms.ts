// Own terms: what a request says under `aos`, as the kernel takes it.

import type { z } from "zod";
import { labelOf } from "../gateway/read-spawn.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { ClientRequest } from "./client-request.ts";
import type { ownFields } from "./fields.ts";

export function ownTerms(
  given: z.output<typeof ownFields>,
): Pick<ClientRequest, "budget" | "label" | "lane"> {
  if (given === undefined) return {};
  const { budget, label, lane } = given;
  return {
    ...(budget === undefined ? {} : { budget: omitUndefined(budget) }),
    ...omitUndefined({ label: labelOf(label), lane }),
  };
}
