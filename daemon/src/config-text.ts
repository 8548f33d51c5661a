// The text of config.yaml; none is as good as an empty one, unless somebody named it.

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
