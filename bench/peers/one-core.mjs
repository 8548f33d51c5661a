// One core: holds this process, with all its threads, to one core, so that ours and the peers are
// measured on the same ground. Where `taskset` is missing nothing is held, and the answer is false.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

export function holdToOneCore() {
  try {
    const allowed = /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync("/proc/self/status", "utf8"))[1];
    const last = allowed.split(/[,-]/).at(-1);
    execFileSync("taskset", ["-a", "-c", "-p", last, String(process.pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
