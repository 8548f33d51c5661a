// Roll back: a database of this release, as an earlier one had it. To be called while no daemon runs.

import { SysError } from "@aos/protocol";
import { rollBackSchema } from "../store/roll-back-schema.ts";

/** Answers the steps that were taken back, the last first. */
export async function rollBack(
  where: { readonly file: string } | { readonly url: string },
  to: number,
): Promise<number[]> {
  if (!Number.isSafeInteger(to) || to < 1)
    throw new SysError("EINVAL", "a schema is a whole number, e.g. 12");
  return rollBackSchema(where, to);
}
