// Bubblewrap's arguments: the restrictions of one run.
//
// Most of them go through a pipe (`--args`), so that neither paths nor environment are in a command line that other
// users and the run itself can read. Before the program starts, its process waits (`--block-fd`) until it is in its
// cgroup.
//
// BUBBLEWRAP-ARGUMENTS-1  Own user, mount, pid, ipc, uts, cgroup and network namespaces; no capability;
//     no new privileges; no terminal; it dies with us.
// BUBBLEWRAP-ARGUMENTS-2  A pipe that ends early starts nothing: its last word is `--unshare-uts`, without which the
//     `--hostname` of the command line is an error.
// BUBBLEWRAP-ARGUMENTS-3  Mounts use descriptors, which bubblewrap closes. An open descriptor would be an escape.
// BUBBLEWRAP-ARGUMENTS-4  If the run is root outside, /proc/sys and similar files would belong to it, so they are
//     covered.

import { existsSync } from "node:fs";
import type { BubblewrapFeatures } from "./bubblewrap-features.ts";
import type { SandboxLimits } from "./limits.ts";
import { INSIDE, type SystemPaths } from "./system-view.ts";

/** Descriptors of the child by what they are for. */
export const ARGUMENTS_FD = 3;
/** bubblewrap says on it who the inner process is. */
export const INFO_FD = 4;
/**
 * The inner process waits on it. It is the same socket under another number, which the shell before
 * bubblewrap makes: the inner process closes the first.
 */
const BLOCK_FD = 7;
export const MAKE_BLOCK_FD = ` ${BLOCK_FD}<&${INFO_FD}`;
/** Those that come after all of these. */
export const FIRST_FREE_FD = 8;

export interface BindMount {
  /** The child's descriptor; or a path, where this bubblewrap knows no descriptors. */
  readonly source: number | string;
  readonly at: string;
  readonly mode: "read" | "write";
}

export interface BubblewrapPlan {
  readonly features: BubblewrapFeatures;
  readonly system: SystemPaths;
  readonly bound: readonly BindMount[];
  /** Places that look like an empty file, and like an empty folder. */
  readonly hidden: {
    readonly files: readonly ArgumentWord[];
    readonly folders: readonly ArgumentWord[];
  };
  /** An empty file; needed where files are hidden (`hiddenFiles`). */
  readonly empty: number | string | undefined;
  readonly seccomp: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly limits: SandboxLimits;
  /** The run is root outside. */
  readonly isRoot: boolean;
  readonly mark: string;
}

/** Bytes where it is not text. */
export type ArgumentWord = string | Buffer;

const words = (text: string): string[] => text.split(" ");

/** What is on the command line. */
export function openArguments({ features, seccomp, mark }: BubblewrapPlan): string[] {
  return [
    ...words("--unshare-user --unshare-pid --unshare-ipc --unshare-net --unshare-cgroup"),
    ...(features.hasDisableUserns ? ["--disable-userns"] : []),
    ...words(`--uid ${INSIDE.uid} --gid ${INSIDE.gid} --hostname sandbox`),
    ...words("--cap-drop ALL --new-session --die-with-parent --clearenv"),
    ...(seccomp === undefined ? [] : ["--seccomp", String(seccomp)]),
    // Does nothing; by this word the run's processes are found in the machine's table.
    ...words(
      `--unsetenv ${mark} --args ${ARGUMENTS_FD} --info-fd ${INFO_FD} --block-fd ${BLOCK_FD}`,
    ),
  ];
}

/** What goes through the pipe. */
export function pipedArguments(walls: BubblewrapPlan): ArgumentWord[] {
  const { system, bound, features, limits } = walls;
  return [
    ...system.folders.flatMap((folder) => ["--ro-bind", folder, folder]),
    ...system.links.flatMap(([target, at]) => ["--symlink", target, at]),
    ...words("--proc /proc --dev /dev"),
    ...tmpfs("/dev/shm", features, limits),
    ...tmpfs("/tmp", features, limits),
    ...bound.flatMap((one) => bind(one)),
    ...(walls.isRoot ? ["--ro-bind", "/proc/sys", "/proc/sys"] : []),
    ...hiddenFolders(walls).flatMap((at) => ["--tmpfs", at, "--remount-ro", at]),
    ...hideFiles(hiddenFiles(walls), walls.empty),
    ...words("--remount-ro /dev --remount-ro /"),
    ...Object.entries(walls.env).flatMap(([name, value]) => ["--setenv", name, value]),
    "--chdir",
    walls.folder,
    "--unshare-uts",
  ];
}

function tmpfs(at: string, { hasSize }: BubblewrapFeatures, limits: SandboxLimits): string[] {
  const bytes = Math.min(limits.diskBytes, limits.memoryBytes);
  const sized = hasSize && bytes !== Infinity;
  return [...(sized ? ["--size", String(bytes)] : []), "--perms", "1777", "--tmpfs", at];
}

function bind({ source, at, mode }: BindMount): string[] {
  if (typeof source === "string") return [mode === "write" ? "--bind" : "--ro-bind", source, at];
  return [mode === "write" ? "--bind-fd" : "--ro-bind-fd", String(source), at];
}

/** One descriptor for all of them; the last use closes it (BUBBLEWRAP-ARGUMENTS-3). */
function hideFiles(
  files: readonly ArgumentWord[],
  empty: number | string | undefined,
): ArgumentWord[] {
  return files.flatMap((at, index) => {
    if (typeof empty !== "number") return ["--ro-bind", empty ?? "/dev/null", at];
    if (index === files.length - 1) return ["--ro-bind-fd", String(empty), at];
    return ["--ro-bind", `/proc/self/fd/${empty}`, at];
  });
}

/** BUBBLEWRAP-ARGUMENTS-4: what root may write to, or read, without any capability. */
const ROOTS_FILES = ["sysrq-trigger", "kcore", "keys", "kmsg", "timer_list", "mtrr"];
const ROOTS_FOLDERS = ["acpi", "driver", "fs", "scsi"];

const ofProc = (names: readonly string[]): string[] =>
  names.map((name) => `/proc/${name}`).filter((path) => existsSync(path));

const hiddenFolders = ({ isRoot, hidden }: BubblewrapPlan): ArgumentWord[] => [
  ...(isRoot ? ofProc(ROOTS_FOLDERS) : []),
  ...hidden.folders,
];

export const hiddenFiles = ({
  isRoot,
  hidden,
}: Pick<BubblewrapPlan, "isRoot" | "hidden">): ArgumentWord[] => [
  ...(isRoot ? ofProc(ROOTS_FILES) : []),
  ...hidden.files,
];
