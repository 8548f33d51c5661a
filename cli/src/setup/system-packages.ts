// System packages: the package managers of Linux distributions, as rows.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

export interface PackageManager {
  readonly command: string;
  /** Run one after another; the next only if the one before did well. */
  readonly install: (name: string) => readonly (readonly string[])[];
  /** It refuses to run as root, and asks by itself. */
  readonly isUsers?: true;
}

/** The first that is there is the machine's. */
export const packageManagers: readonly PackageManager[] = [
  {
    command: "apt-get",
    // A fresh machine has no lists of packages yet.
    install: (name) => [
      ["apt-get", "update"],
      ["apt-get", "install", "-y", "--no-install-recommends", name],
    ],
  },
  { command: "dnf", install: (name) => [["dnf", "install", "-y", name]] },
  { command: "microdnf", install: (name) => [["microdnf", "install", "-y", name]] },
  { command: "yum", install: (name) => [["yum", "install", "-y", name]] },
  { command: "apk", install: (name) => [["apk", "add", name]] },
  { command: "pacman", install: (name) => [["pacman", "-Sy", "--noconfirm", "--needed", name]] },
  { command: "zypper", install: (name) => [["zypper", "--non-interactive", "install", name]] },
  { command: "brew", install: (name) => [["brew", "install", name]], isUsers: true },
];

export const findPackageManager = (path: string): PackageManager | undefined =>
  packageManagers.find(({ command }) => isOnPath(command, path));

/** What a command of it begins with for somebody who is not root. Without a terminal it asks nobody. */
export function prefixFor(
  { isUsers }: PackageManager,
  { isRoot, hasTerminal, path }: { isRoot: boolean; hasTerminal: boolean; path: string },
): readonly string[] {
  if (isRoot || isUsers) return [];
  // `sudo` also where neither is there: it is what most people know how to get.
  const program = !isOnPath("sudo", path) && isOnPath("doas", path) ? "doas" : "sudo";
  return hasTerminal ? [program] : [program, "-n"];
}

export const isOnPath = (command: string, path: string): boolean =>
  path
    .split(delimiter)
    .filter(Boolean)
    .some((folder) => isExecutable(join(folder, command)));

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
