// A label as people write it: `untrusted/confidential`.

import { readLabel } from "@aos/kernel";
import { integrities, secrecies, SysError, type Label } from "@aos/protocol";

export function labelOf(text: string | undefined): Label | undefined {
  if (text === undefined) return undefined;
  try {
    return readLabel(text);
  } catch {
    throw new SysError("EINVAL", `unknown label ${JSON.stringify(text)}`, {
      hint: `write ${integrities.join("|")}, a slash, and ${secrecies.join("|")}`,
    });
  }
}
