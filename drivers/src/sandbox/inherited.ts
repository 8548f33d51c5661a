// Inherited descriptors: descriptors that the daemon was started with. Node closes only some of them for its
// children; a sandboxed program would inherit the rest.
//
// INHERITED-1  Every inheritable descriptor above standard error is found and replaced by /dev/null for the run.

import { readdirSync, readFileSync } from "node:fs";

const O_CLOEXEC = 0o2000000;

export function inheritedDescriptors(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd));
}

function isInherited(fd: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, "latin1");
    const flags = Number.parseInt(/^flags:\s+(\d+)/m.exec(info)?.[1] ?? "0", 8);
    return (flags & O_CLOEXEC) === 0;
  } catch {
    return false;
  }
}
