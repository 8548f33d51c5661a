// Agent view: finds on the machine the files that a sandboxed program would find under their names. Only for
// inspection; files are used through open-checked.ts.
//
// AGENT-VIEW-1  A link is resolved as the program would: `/work/x` leads into the workspace.
// AGENT-VIEW-2  A folder is listed once: words that match nothing in it cost nothing.

import { type Dirent } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { posix } from "node:path";
import { isIn } from "../workspace/mapping.ts";

export interface ViewOptions {
  /** What `/work` is on the machine; undefined where there is no workspace yet. */
  readonly root: string | undefined;
  /** Folders that no program sees. */
  readonly private: readonly string[];
}

const MAX_LINKS = 40;
/** The machine's own programs and settings: they are not the agent's to change. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix"];
const NEVER = ["/proc", "/sys", "/dev", "/run"];

export class AgentView {
  readonly #options: ViewOptions;
  readonly #entries = new Map<string, Promise<ReadonlyMap<string, Dirent>>>();

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  async isFolder(path: string): Promise<boolean> {
    const real = await this.#resolve(path);
    if (real === undefined) return false;
    return lstat(real).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
  }

  /** Where the machine has it; undefined where it is no regular file that an agent could change. */
  async regularFile(path: string): Promise<string | undefined> {
    const real = await this.#resolve(path);
    if (real === undefined) return undefined;
    return lstat(real).then(
      (stats) => (stats.isFile() ? real : undefined),
      () => undefined,
    );
  }

  /** AGENT-VIEW-1. */
  async #resolve(path: string): Promise<string | undefined> {
    let rest = posix.resolve("/", path).split("/").filter(Boolean);
    let at = "/";
    for (let links = 0; rest.length > 0;) {
      const name = rest[0]!;
      const here = this.#machine(at);
      const next = posix.join(at, name);
      // The root of the workspace is no entry of the machine's own root.
      const isRoot = next === "/work";
      if (!isRoot && here === undefined) return undefined;
      const entry = isRoot ? undefined : (await this.#list(here!)).get(name);
      if (!isRoot && entry === undefined) return undefined;
      rest = rest.slice(1);
      if (entry?.isSymbolicLink() !== true) {
        at = next;
        continue;
      }
      links += 1;
      if (links > MAX_LINKS) return undefined;
      const target = await readlink(`${here}/${name}`).catch(() => undefined);
      if (target === undefined) return undefined;
      rest = [...posix.resolve(at, target).split("/").filter(Boolean), ...rest];
      at = "/";
    }
    return this.#machine(at);
  }

  #machine(path: string): string | undefined {
    const { root, private: own } = this.#options;
    if (isIn("/work", path)) return root === undefined ? undefined : root + path.slice(5);
    if ([...SYSTEM, ...NEVER, ...own].some((place) => isIn(place, path))) return undefined;
    return path;
  }

  /** AGENT-VIEW-2. */
  #list(folder: string): Promise<ReadonlyMap<string, Dirent>> {
    let listed = this.#entries.get(folder);
    if (listed === undefined) {
      listed = readdir(folder, { withFileTypes: true }).then(
        (entries) => new Map(entries.map((entry) => [entry.name, entry])),
        () => new Map(),
      );
      this.#entries.set(folder, listed);
    }
    return listed;
  }
}
