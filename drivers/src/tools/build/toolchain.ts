// Toolchain: what a build program needs outside the system's folders: a cargo in a home, a Python of pyenv, and the
// daemon's Node.
//
// TOOLCHAIN-1  `/work` is the agent's workspace: files below the machine's own `/work` are mounted elsewhere.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Mount, mountsForProgram } from "../../sandbox/index.ts";
import { isIn } from "../../workspace/mapping.ts";

export interface Toolchain {
  readonly mounts: readonly Mount[];
  /** The folders of its programs, for PATH. */
  readonly path: string;
}

const SYSTEM = ["/usr/local/bin", "/usr/bin", "/bin"];
const ELSEWHERE = "/opt/aos";

/** TOOLCHAIN-1. */
const shownAt = (place: string): string => (isIn("/work", place) ? ELSEWHERE + place : place);

export function toolchainFor(
  program: string,
  search: string = process.env["PATH"] ?? "",
  node: string = process.execPath,
): Toolchain {
  const own = [{ name: "node", folder: dirname(node) }];
  const folder = SYSTEM.some((one) => existsSync(join(one, program)))
    ? undefined
    : search.split(":").find((one) => one.startsWith("/") && existsSync(join(one, program)));
  if (folder !== undefined) own.push({ name: program, folder });
  const mounts = own.flatMap(({ name, folder: where }) => mountsForProgram(name, where));
  return {
    mounts: mounts.map((mount) => ({ ...mount, at: shownAt(mount.from) })),
    path: [...own.map(({ folder: where }) => shownAt(where)), ...SYSTEM].join(":"),
  };
}
