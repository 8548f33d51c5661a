// Run sources: passes the visible files of a run to bubblewrap.
//
//   const sources = new RunSources({ … });
//   sources.give("/data")       the source of a mount: a descriptor, or a path
//   sources.descriptors         to be inherited, in this order, from `first` on
//   sources.wrap(command)       the command, with its preparation
//
// bubblewrap mounts what a descriptor names and fails if something else has replaced it. But it resolves the path
// again as the run's own user, who may not be able to enter the parent folders (a home, a private folder of the
// daemon). Root then makes the file reachable in a mount namespace of the run, which ends with the run: an alias.
//
// RUN-SOURCES-1  With a descriptor or an alias, what is mounted is what was opened, or the run does not start.

import { closeSync, fstatSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { User } from "./users.ts";
import { openSource } from "./sources.ts";

interface Alias {
  readonly from: string;
  readonly at: string;
  /** As `stat -c %d:%i` says it. */
  readonly identity: string;
}

export interface RunSourcesOptions {
  readonly hasBindFd: boolean;
  readonly user: User;
  readonly isRoot: boolean;
  /** A folder that everybody can enter. */
  readonly aliases: string;
  /** The child's first descriptor for them. */
  readonly first: number;
}

export class RunSources {
  readonly descriptors: number[] = [];
  readonly #options: RunSourcesOptions;
  readonly #aliases: Alias[] = [];

  constructor(options: RunSourcesOptions) {
    this.#options = options;
  }

  give(path: string): number | string {
    const { hasBindFd, user, isRoot } = this.#options;
    const fd = openSource(path);
    const needsAlias = isRoot && user.uid !== 0 && !canReach(path, user);
    if (hasBindFd && !needsAlias) return this.hand(fd);
    const stats = fstatSync(fd);
    closeSync(fd);
    if (!needsAlias) return path;
    const at = this.#place(stats.isDirectory());
    this.#aliases.push({ from: path, at, identity: `${stats.dev}:${stats.ino}` });
    return at;
  }

  /** Any other descriptor that the child is to have. */
  hand(fd: number): number {
    return this.descriptors.push(fd) - 1 + this.#options.first;
  }

  get hasAliases(): boolean {
    return this.#aliases.length > 0;
  }

  /** With aliases it is started as root, and becomes the user here. */
  wrap(command: readonly string[]): readonly string[] {
    if (!this.hasAliases) return command;
    const { uid, gid } = this.#options.user;
    const binds = this.#aliases.map(
      ({ from, at }) => `mount --no-canonicalize --bind ${quote(from)} ${at}`,
    );
    // RUN-SOURCES-1
    const places = this.#aliases.map(({ at }) => at).join(" ");
    const expected = this.#aliases.map(({ identity }) => identity).join("\n");
    const script = [
      ...binds,
      `[ "$(stat -c %d:%i ${places})" = "${expected}" ]`,
      `exec setpriv --reuid ${uid} --regid ${gid} --clear-groups --inh-caps=-all "$@"`,
    ].join(" && ");
    const inPrivate = ["/usr/bin/unshare", "--mount", "--propagation", "private"];
    return [...inPrivate, "/bin/sh", "-c", script, "sh", ...command];
  }

  close(): void {
    for (const fd of this.descriptors.splice(0)) closeSync(fd);
  }

  /** Only names: what is mounted there is seen by one run alone, so all runs use the same ones. */
  #place(isFolder: boolean): string {
    const at = join(
      this.#options.aliases,
      `${isFolder ? "folder" : "file"}-${this.#aliases.length}`,
    );
    if (statSync(at, { throwIfNoEntry: false }) !== undefined) return at;
    if (isFolder) mkdirSync(at);
    else writeFileSync(at, "");
    return at;
  }
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Whether a user can enter every folder above. */
export function canReach(path: string, { uid, gid }: User): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid: owner, gid: group } = statSync(folder);
    const bit = uid === owner ? 0o100 : gid === group ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
