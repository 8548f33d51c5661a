// WatchPolicy: sees that a policy file was changed, made or removed.
//
// It looks at the files rather than being told: editors that replace a file, folders that come and go and
// network disks are then all the same, and the home's own traffic costs nothing. What is being written is
// left alone until two looks see the same.

import { statSync } from "node:fs";

const LOOK_EVERY_MS = 500;

export function watchPolicy(
  places: () => readonly string[],
  changed: () => void,
): { close(): void } {
  let settled = look(places());
  let last = settled;
  const timer = setInterval(() => {
    const now = look(places());
    const isStill = now === last;
    last = now;
    if (!isStill || now === settled) return;
    settled = now;
    changed();
  }, LOOK_EVERY_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

const look = (places: readonly string[]): string => places.map(markOf).join("\n");

function markOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? path : `${path} ${found.ino} ${found.size} ${found.mtimeMs}`;
  } catch {
    return path;
  }
}
