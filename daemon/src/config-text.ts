// The text of config.yaml; a missing file counts as empty unless it was named explicitly.

import { readFileSync } from "node:fs";
import { SysError } from "@aos/protocol";

export function configText(file: string, { mustBeThere = false } = {}): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && !mustBeThere) return "";
    throw new SysError("EINVAL", `cannot read ${file}: ${(error as Error).message}`);
  }
}
