// Mount table: the file tree of a process, a row for each mount. The gate, the handlers, `aos fs mount` and the
// manual resolve a path here.
//
//   mountOf("/mem/working/notes")   the row of /mem/working
//   mountOf("/mnt/docs/a.md")       the row of /mnt: which mount NAME is, a process's own list says
//
// MOUNT-TABLE-1  The longest prefix wins. A folder of mounts (`/`, `/mem`, `/mnt`, `/state`) answers for its own path
//     only; what is below it and below no mount is not mounted.
// MOUNT-TABLE-2  `own` is what belongs to the process: it reads that by no grant. Every other row names the kind of
//     capability that guards it.

/** What a call on a file is allowed by. */
export type MountGuard = "own" | "memory" | "file";

/** What answers below a mount. */
export type MountDriverName =
  | "checkpoints"
  | "connector"
  | "context"
  | "messages"
  | "mounts"
  | "policy"
  | "processes"
  | "self"
  | "skills"
  | "store"
  | "tools"
  | "workspace";

export interface MountRow {
  readonly path: string;
  readonly driver: MountDriverName;
  readonly guard: MountGuard;
  readonly isWritable: boolean;
  /** The label of what is read, for people. */
  readonly label: string;
  readonly summary: string;
}

const own = (path: string, driver: MountDriverName, label: string, summary: string): MountRow => ({
  path,
  driver,
  guard: "own",
  isWritable: false,
  label,
  summary,
});

const stored = (path: string, summary: string): MountRow => ({
  path,
  driver: "store",
  guard: "memory",
  isWritable: true,
  label: "its writer's",
  summary,
});

/** The folder of the connectors that manifest and configuration declare. */
export const CONNECTORS = "/mnt";

/** The facts of an agent, and the vector stores that are mounted there. */
export const SEMANTIC_MEMORY = "/mem/semantic";

/** By path. */
export const mountTable: readonly MountRow[] = [
  own("/", "mounts", "trusted", "the mounts of the process"),
  own("/ctx", "context", "the process's", "the messages that its model was last shown"),
  own("/ipc", "messages", "its sender's", "the messages and requests that wait for the process"),
  { ...own("/mem", "mounts", "trusted", "the parts of memory"), guard: "memory" },
  stored("/mem/agents", "the long-term memory of all agents, a space each"),
  stored("/mem/episodic", "experience of the agent, append-only"),
  stored(SEMANTIC_MEMORY, "facts of the agent"),
  stored("/mem/shared", "files that processes of the tenant share"),
  stored("/mem/working", "files of the process, gone with it"),
  own("/mnt", "mounts", "trusted", "the connectors: folders, repositories, databases, services"),
  own("/policy", "policy", "trusted", "the rules and grants that bind the process"),
  own("/proc", "processes", "the process's", "the process, its parent and its descendants"),
  own("/self", "self", "trusted", "its manifest, input, tools, skills and instructions"),
  own("/skills", "skills", "the skill's", "the skills that its manifest names"),
  own("/state", "mounts", "trusted", "the kept states"),
  own("/state/checkpoints", "checkpoints", "the process's", "the state of its last checkpoint"),
  own("/tools", "tools", "the tool's", "the descriptions of the tools that it may call"),
  {
    path: "/work",
    driver: "workspace",
    guard: "file",
    isWritable: true,
    label: "the file's",
    summary: "the workspace of its tree of processes",
  },
];

/** A row of /mnt/NAME; the declaration fills in the rest. */
const connector: MountRow = {
  path: CONNECTORS,
  driver: "connector",
  guard: "file",
  isWritable: false,
  label: "untrusted",
  summary: "a connector",
};

const byPath = new Map(mountTable.map((row) => [row.path, row]));

/** Memory is asked for most: its rows are compared, and no text is made. */
const memory = mountTable
  .filter(({ driver }) => driver === "store")
  .map((row) => ({ row, below: `${row.path}/` }))
  .reverse();

function memoryMountOf(path: string): MountRow | undefined {
  for (const { row, below } of memory) if (path.startsWith(below) || path === row.path) return row;
  return undefined;
}

/** The mount that a plain path is on; undefined where nothing is mounted (MOUNT-TABLE-1). */
export function mountOf(path: string): MountRow | undefined {
  if (path.startsWith("/mem/")) return memoryMountOf(path);
  const end = path.indexOf("/", 1);
  const row = byPath.get(end === -1 ? path : path.slice(0, end));
  if (end === -1 || row === undefined) return row;
  if (row.driver !== "mounts") return row;
  if (row.path === CONNECTORS) return connector;
  const next = path.indexOf("/", end + 1);
  return byPath.get(next === -1 ? path : path.slice(0, next));
}

/** Whether a process reads it by no grant (MOUNT-TABLE-2). */
export const isOwnPath = (path: string): boolean => mountOf(path)?.guard === "own";

/** The rows directly below a folder of mounts, by path; of `/` every mount that is no part of such a folder, too. */
export const mountsBelow = (folder: string): readonly MountRow[] =>
  mountTable.filter(
    ({ path }) =>
      path !== folder &&
      path.startsWith(folder === "/" ? folder : `${folder}/`) &&
      path.lastIndexOf("/") === (folder === "/" ? 0 : folder.length),
  );
