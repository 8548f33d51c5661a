// HomeLock: one daemon per home.
//
// HOME-LOCK-1  The lock is the operating system's on an open file, so it ends with its holder in every case: no stale
//     lock, no reused pid.
//
// Node has no flock; an exclusive SQLite transaction that is never written holds the same kind of lock.

import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { SysError, type DaemonInfo } from "@aos/protocol";
import type { Home } from "./home.ts";

export interface HomeLock {
  release(): void;
}

const SQLITE_BUSY = 5;

export function lockHome(home: Home): HomeLock {
  writeFileSync(home.lock, "", { flag: "a", mode: 0o600 });
  const file = new DatabaseSync(home.lock, { timeout: 0 });
  try {
    file.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw notLockable(home, error);
    throw heldBy(home);
  }
  return { release: () => file.close() };
}

function heldBy(home: Home): SysError {
  const holder = readDaemonInfo(home);
  const who =
    holder === undefined
      ? "another daemon that is just starting"
      : `daemon ${holder.pid} (${[
          `version ${holder.version}`,
          `up since ${holder.startedAt}`,
          holder.url ?? `on its socket ${holder.socket}`,
        ].join(", ")})`;
  return new SysError("EEXIST", `the home ${home.folder} is in use by ${who}`, {
    hint: "use that daemon, stop it with `aos down`, or set AOS_HOME to another folder",
  });
}

function notLockable(home: Home, error: unknown): SysError {
  return new SysError("ESTORE", `cannot lock ${home.lock}: ${(error as Error).message}`, {
    hint: "check that the home is writable and that its disk has space",
  });
}

export function readDaemonInfo(home: Home): DaemonInfo | undefined {
  try {
    return JSON.parse(readFileSync(home.daemonInfo, "utf8")) as DaemonInfo;
  } catch {
    return undefined;
  }
}
