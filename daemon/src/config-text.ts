// The text of config.yaml; none is as good as an empty one.

import { readFileSync } from "node:fs";
import { SysError } from "@aos/protocol";

export function configText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new SysError("EINVAL", `cannot read ${file}: ${(error as Error).message}`);
  }
}
