// Folder: one cgroup in one hierarchy. Its files are kept open, because it is reused for later runs.

import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmdirSync,
  write,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { tryTo } from "../try-to.ts";

const writeLater = promisify(write);

export class CgroupFolder {
  readonly path: string;
  readonly #open = new Map<string, number>();
  readonly #written = new Map<string, string>();
  readonly #buffer = Buffer.alloc(4096);

  constructor(path: string) {
    this.path = path;
    mkdirSync(path);
  }

  /** Some microseconds, where another was admitted a moment ago. */
  admit(pid: number): void {
    this.write("cgroup.procs", String(pid));
  }

  /** Else the kernel takes ten milliseconds, in which our own thread has other things to do. */
  async admitFirst(pid: number): Promise<void> {
    const fd = this.#fd("cgroup.procs", constants.O_WRONLY);
    await writeLater(fd, Buffer.from(String(pid)), 0, undefined, null);
  }

  /** Living processes. Zero stands for a process in another pid namespace and must never be signalled. */
  members(): number[] {
    return readFileSync(join(this.path, "cgroup.procs"), "latin1")
      .split("\n")
      .map(Number)
      .filter((pid) => pid > 0);
  }

  read(file: string): string {
    const fd = this.#fd(file, constants.O_RDONLY);
    const length = readSync(fd, this.#buffer, 0, this.#buffer.length, 0);
    return this.#buffer.toString("latin1", 0, length);
  }

  /** One value; or, with a key, the value that is written after it in a list. */
  number(file: string, key?: string): number {
    const text = this.read(file);
    const found = key === undefined ? text : new RegExp(`^${key} (\\d+)$`, "m").exec(text)?.[1];
    return Number(found ?? 0);
  }

  /** The same, or null where this kernel has no such file. */
  numberIfAny(file: string, key?: string): number | null {
    try {
      return this.number(file, key);
    } catch {
      return null;
    }
  }

  write(file: string, value: string): void {
    writeSync(this.#fd(file, constants.O_WRONLY), value);
  }

  /** A setting that stays: written only when it is another than before. */
  set(file: string, value: string): void {
    if (this.#written.get(file) === value) return;
    this.#written.delete(file);
    this.write(file, value);
    this.#written.set(file, value);
  }

  remove(): void {
    for (const fd of this.#open.values()) closeSync(fd);
    this.#open.clear();
    rmdirSync(this.path);
  }

  #fd(file: string, how: number): number {
    const key = `${how} ${file}`;
    let fd = this.#open.get(key);
    if (fd === undefined) {
      fd = openSync(join(this.path, file), how);
      this.#open.set(key, fd);
    }
    return fd;
  }
}

/** Removes an abandoned cgroup with its processes. False while one of them is still alive. */
export function removeAbandoned(path: string): boolean {
  return tryTo(() => {
    for (const pid of readFileSync(join(path, "cgroup.procs"), "latin1").split("\n").map(Number)) {
      if (pid > 0) tryTo(() => process.kill(pid, "SIGKILL"));
    }
    rmdirSync(path);
  });
}

/** Deeper than anybody nests them. */
const DEPTH = 8;

/** The cgroups below a folder whose names are wanted. */
export function findFolders(
  path: string,
  isWanted: (name: string) => boolean,
  depth = DEPTH,
): string[] {
  let names: string[] = [];
  tryTo(() => {
    const entries = readdirSync(path, { withFileTypes: true });
    names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  });
  return names.flatMap((name) => {
    if (isWanted(name)) return join(path, name);
    return depth === 0 ? [] : findFolders(join(path, name), isWanted, depth - 1);
  });
}
