// Where the daemon of this user is: the same two variables that the daemon itself reads.

import { homedir } from "node:os";
import { join, resolve } from "node:path";

export interface Place {
  readonly home: string;
  readonly socket: string;
}

export function placeOf(env: Readonly<Record<string, string | undefined>>): Place {
  const home = resolve(env["AOS_HOME"] || join(homedir(), ".aos"));
  return { home, socket: resolve(env["AOS_SOCKET"] || join(home, "aos.sock")) };
}
