// Inherited descriptors: what whoever started the daemon left open in it. Node closes those with small
// numbers for its children and leaves the others, and a program in a sandbox would have them.
//
// INHERITED-1  Every descriptor above standard error that a child would inherit is found; the run gets
//     /dev/null in its place.

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
