// Users: the user id of a run outside its namespaces. A root daemon gives each concurrent run its own user; otherwise
// it is the daemon's user.
//
//   const lent = users.lend(request.user);   …   users.giveBack(lent);
//
// USERS-1  Two concurrent runs never share a user of the pool, also across daemons: a user is claimed by a link in a
//     folder that only root can write to.
// USERS-2  A user with a name on this machine is never in the pool.

import { lstatSync, readFileSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SysError } from "@aos/protocol";
import { isAlive, markOf, readMark, type DaemonMark } from "./owner.ts";

export interface User {
  readonly uid: number;
  readonly gid: number;
}

interface Lent extends User {
  readonly isOfPool: boolean;
}

/** Neither range is used by distributions: below systemd's dynamic users, and above its containers. */
const RANGES: readonly (readonly [first: number, last: number])[] = [
  [61_000, 61_183],
  [1_900_000_000, 1_900_065_535],
];

const claimName = (uid: number): string => `aos-sandbox-user-${uid}`;

export interface UsersOptions {
  readonly owner: DaemonMark;
  /** Only root writes there. */
  readonly claims: string;
  /** Who we are. */
  readonly self: User;
}

export class Users {
  readonly #options: UsersOptions;
  readonly #free: number[] = [];
  readonly #claimed: number[] = [];
  readonly #candidates = candidates();

  constructor(options: UsersOptions) {
    this.#options = options;
  }

  lend(asked: User | undefined): Lent {
    const { self } = this.#options;
    if (self.uid !== 0) {
      if (asked === undefined || (asked.uid === self.uid && asked.gid === self.gid)) {
        return { ...self, isOfPool: false };
      }
      throw new SysError("EACCES", `only root can start a program as the user ${asked.uid}`);
    }
    if (asked !== undefined) return { ...asked, isOfPool: false };
    const uid = this.#free.pop() ?? this.#claim();
    return { uid, gid: uid, isOfPool: true };
  }

  giveBack({ uid, isOfPool }: Lent): void {
    if (isOfPool) this.#free.push(uid);
  }

  /** Other daemons may have them again. */
  close(): void {
    for (const uid of this.#claimed) rmSync(this.#claimOf(uid), { force: true });
  }

  #claim(): number {
    for (let next = this.#candidates.next(); next.done !== true; next = this.#candidates.next()) {
      if (!this.#take(next.value)) continue;
      this.#claimed.push(next.value);
      return next.value;
    }
    throw new SysError("EAGAIN", "every user id of the sandbox is in use");
  }

  #take(uid: number): boolean {
    const path = this.#claimOf(uid);
    try {
      symlinkSync(markOf(this.#options.owner), path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      return false;
    }
  }

  #claimOf(uid: number): string {
    return join(this.#options.claims, claimName(uid));
  }
}

/** Whether a name in the folder of claims is a claim of a daemon that is gone. */
export function isAbandonedClaim(folder: string, name: string): boolean {
  if (!/^aos-sandbox-user-\d+$/.test(name)) return false;
  const path = join(folder, name);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  const owner = readMark(readlinkSync(path));
  return owner !== undefined && !isAlive(owner);
}

function* candidates(): Generator<number, undefined> {
  const named = namedUsers();
  for (const [first, last] of RANGES) {
    for (let uid = first; uid <= last; uid++) if (!named.has(uid)) yield uid;
  }
}

/** USERS-2 */
function namedUsers(): Set<number> {
  const ids = ["/etc/passwd", "/etc/group"].flatMap((file) => {
    try {
      return readFileSync(file, "utf8").split("\n");
    } catch {
      return [];
    }
  });
  return new Set(ids.map((line) => Number(line.split(":")[2])));
}
