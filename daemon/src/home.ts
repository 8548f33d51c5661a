// Home: the folder of everything that a daemon keeps, and the paths in it.
//
// HOME-1  The home belongs to one user: it has mode 0700 and its socket 0600, unless `socket.access` opens the socket to
//     a group. One that others can open is closed or refused (home-modes.ts).

import { accessSync, constants, mkdirSync, statfsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { SysError } from "@aos/protocol";
import { closeHome, type ClosedFile } from "./home-modes.ts";

export interface Home {
  readonly folder: string;
  readonly socket: string;
  readonly database: string;
  readonly config: string;
  /** A file of settings that `config` wins over, e.g. the system's in /etc. */
  readonly baseConfig?: string;
  readonly daemonInfo: string;
  readonly lock: string;
  readonly log: string;
  readonly agents: string;
  /** Programs of the machine as tools, declared as data. */
  readonly tools: string;
  readonly scripts: string;
  /** What `record/…` wrote: scripts as well. */
  readonly recordings: string;
  readonly skills: string;
  /** Skills that nobody has approved: offered to no agent. */
  readonly skillDrafts: string;
  readonly seenFolders: string;
  readonly audit: string;
  readonly key: string;
  readonly secretKey: string;
  /** What the operator rules; and the folder with more of it. */
  readonly policy: string;
  readonly policyFolder: string;
  readonly seenProjects: string;
  /** The workspaces of process trees. */
  readonly work: string;
  /** What the database was before newer releases changed it. */
  readonly backups: string;
  /** Who may call over the network. */
  readonly tokens: string;
  /** Files with power that programs in the sandbox made. */
  readonly quarantine: string;
  /** Project folders that count, and the copies of what was trusted. */
  readonly trust: string;
  readonly trusted: string;
  /** What requests with an Idempotency-Key came to. */
  readonly repeats: string;
  /** Runs of other machines, to look at. */
  readonly imports: string;
  /** That it is a copy, until a daemon has entered that in its ledger. */
  readonly restored: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function homeOf(env: Environment): Home {
  const folder = resolve(env["AOS_HOME"] || join(homedir(), ".aos"));
  return {
    folder,
    socket: resolve(env["AOS_SOCKET"] || join(folder, "aos.sock")),
    database: join(folder, "aos.db"),
    config: join(folder, "config.yaml"),
    ...(env["AOS_CONFIG"] ? { baseConfig: resolve(env["AOS_CONFIG"]) } : {}),
    daemonInfo: join(folder, "daemon.json"),
    lock: join(folder, "daemon.lock"),
    log: join(folder, "daemon.log"),
    agents: join(folder, "agents"),
    tools: join(folder, "tools"),
    scripts: join(folder, "scripts"),
    recordings: join(folder, "recordings"),
    skills: join(folder, "skills"),
    skillDrafts: join(folder, "skill-drafts"),
    seenFolders: join(folder, "script-folders.json"),
    audit: join(folder, "audit"),
    key: join(folder, "audit.key"),
    secretKey: join(folder, "secret.key"),
    policy: join(folder, "policy.yaml"),
    policyFolder: join(folder, "policy.d"),
    seenProjects: join(folder, "policy-projects.json"),
    work: join(folder, "work"),
    backups: join(folder, "backups"),
    tokens: join(folder, "tokens.json"),
    quarantine: join(folder, "quarantine"),
    trust: join(folder, "trust.json"),
    trusted: join(folder, "trusted"),
    repeats: join(folder, "idempotency.jsonl"),
    imports: join(folder, "imports"),
    restored: join(folder, "restored.json"),
  };
}

/** Makes the home where there is none, and refuses one that cannot be written to. Says what it closed (HOME-1). */
export function prepareHome(home: Home): ClosedFile[] {
  return withinHome(home, () => {
    mkdirSync(home.folder, { recursive: true, mode: 0o700 });
    accessSync(home.folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return closeHome(home);
  });
}

/** Refuses a database that is there and cannot be written: SQLite itself would only say "I/O error". */
export function checkDatabaseFile(home: Home): void {
  try {
    accessSync(home.database, constants.R_OK | constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    throw new SysError("ESTORE", `the database ${home.database} cannot be written (${code})`, {
      hint: "check the owner and mode of the file and of its folder",
    });
  }
}

/** With less the next commits would fail again: closing a database frees a little of a full disk. */
const MIN_FREE_BYTES = 512 * 1024;

/** Refuses to go on after a failure on a disk that is still full. */
export function checkSpace(home: Home): void {
  const { bavail, bsize } = statfsSync(home.folder);
  if (bavail * bsize >= MIN_FREE_BYTES) return;
  throw new SysError("ESTORE", `there is no space left for ${home.folder}`, {
    hint: "free some space; acknowledged work is safe and continues then",
  });
}

/** Refuses a key that others may have read already: it is not ours to say that it is still good. */
export function checkKeyFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & 0o077) === 0) return;
  const mode = (found.mode & 0o777).toString(8);
  throw new SysError("EINVAL", `other users can read the key file ${file} (mode ${mode})`, {
    hint: "if no other user has read it, run chmod 600 on it; otherwise replace the key",
  });
}

/** Runs something that writes below the home; what the system says against it becomes a clear failure. */
export function withinHome<T>(home: Home, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof SysError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? "";
    const problem = problems[code];
    if (problem === undefined) throw error;
    throw new SysError("ESTORE", `the home ${home.folder} ${problem} (${code})`, {
      hint: "set AOS_HOME to a folder that you can write to, or free it",
    });
  }
}

const problems: Readonly<Record<string, string>> = {
  EACCES: "is not writable",
  EPERM: "is not writable",
  EROFS: "is on a read-only file system",
  ENOTDIR: "is not a folder, or is below a file",
  EEXIST: "is not a folder",
  ENOSPC: "has no space left on its disk",
  EDQUOT: "is beyond its disk quota",
  ENAMETOOLONG: "has too long a name",
  ELOOP: "is a link to itself",
};
