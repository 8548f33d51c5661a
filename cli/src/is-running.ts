// Whether a process of this machine still runs. A zombie (ended, not reaped by its parent) does not count; in a
// container it may never be reaped. It counts while another of its threads is still running, because its files are
// then open.

import { readdirSync, readFileSync } from "node:fs";

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !isZombie(pid);
}

/** The name in the line may hold anything, a parenthesis too: the state follows the last one. */
function isZombie(pid: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "latin1");
    const isOver = line.charAt(line.lastIndexOf(")") + 2) === "Z";
    return isOver && readdirSync(`/proc/${pid}/task`).length === 1;
  } catch {
    return false; // no /proc (macOS), or it went meanwhile: whoever asks again is told
  }
}
