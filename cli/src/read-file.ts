// Reads a file named on the command line, because the daemon has another working folder.

import { readFileSync } from "node:fs";
import { SysError } from "@aos/protocol/words";

export function readFile(file: string): { file: string; text: string } {
  try {
    return { file, text: readFileSync(file, "utf8") };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === "ENOENT"
      ? new SysError("ENOENT", `there is no ${file}`)
      : new SysError("EINVAL", `cannot read ${file}: ${message}`);
  }
}
