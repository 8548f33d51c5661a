// The two import maps of the repository, and the other rules of the house, as data. The tests beside
// this file hold every source file against them and name the line that trespasses.
//
// A rule that cannot hold everywhere has its exceptions here, each with its reason. An exception that
// is no longer needed is a failure too: the lists only ever get shorter by themselves.

/** What each room may import of the others, and what it may ask of the machine it runs on. */
interface Room {
  readonly rooms: readonly string[];
  /** Optional packages: loaded by `import()` when they are asked for, never by a static import. */
  readonly onDemand?: readonly string[];
  /** Modules of Node that it must not know; `all` for rooms that run anywhere. */
  readonly notFromNode: "all" | readonly string[];
}

const NETWORK = ["http", "https", "http2", "net", "tls", "dgram", "dns"];

export const rooms: Readonly<Record<string, Room>> = {
  dashboard: { rooms: ["client", "protocol"], notFromNode: "all" },
  cli: { rooms: ["client", "protocol"], notFromNode: ["sqlite"] },
  client: { rooms: ["protocol"], notFromNode: "all" },
  attacks: { rooms: ["daemon", "drivers", "kernel", "protocol"], notFromNode: [] },
  daemon: {
    rooms: ["kernel", "drivers", "userland", "protocol"],
    onDemand: ["attacks"],
    notFromNode: [],
  },
  userland: { rooms: ["protocol"], notFromNode: "all" },
  drivers: { rooms: ["protocol"], notFromNode: [] },
  kernel: { rooms: ["protocol"], notFromNode: [...NETWORK, "child_process"] },
  sdk: { rooms: ["protocol"], notFromNode: ["sqlite"] },
  protocol: { rooms: [], notFromNode: "all" },
  // No room, and held to the same: an example shows what people outside can do.
  examples: { rooms: ["sdk"], notFromNode: [] },
};

/** The folders of kernel/src, from the top down: each imports only itself and those after it. */
export const kernelLayers: readonly string[] = [
  "operator",
  "erasure",
  "inspection",
  "replay",
  "audit",
  "handlers",
  "syscall",
  "refusal",
  "scheduler",
  "signal",
  "process",
  "bus",
  "vfs",
  "memory",
  "device",
  "slot",
  "approval",
  "budget",
  "policy-formats",
  "policy",
  "secret",
  "label",
  "token",
  "capability",
  "tlog",
  "schedule",
  "fleet",
  "journal",
  "store",
  "platform",
];

/** The folders of drivers/src, from the top down: each imports only itself and those after it. */
export const driverLayers: readonly string[] = [
  "post",
  "mounts",
  "mcp",
  "tool-host",
  "tools",
  "programs",
  "models",
  "sandbox",
  "workspace",
  "search",
  "web",
];

/** Files of kernel/src that are in no layer: who may import them, and which layers they may import. */
export const kernelFiles: Readonly<
  Record<string, { readonly importedBy: "all" | "none"; readonly mayImport: readonly string[] }>
> = {
  /** The door. Only other rooms come through it. */
  "index.ts": {
    importedBy: "none",
    mayImport: [
      "operator",
      "inspection",
      "process",
      "policy-formats",
      "policy",
      "label",
      "token",
      "capability",
    ],
  },
  /** Single modules for the tests of this repository (reaches.ts). */
  "parts.ts": { importedBy: "none", mayImport: kernelLayers },
  /** Words and defaults: data that any layer reads. */
  "api.ts": { importedBy: "all", mayImport: [] },
  "options.ts": { importedBy: "all", mayImport: [] },
};

interface Exception {
  readonly file: string;
  readonly reason: string;
}

/** Where there is SQL, or a database, outside kernel/src/store. */
export const sqlElsewhere: readonly Exception[] = [
  {
    file: "daemon/src/home-lock.ts",
    reason: "uses an empty SQLite file as the operating system's lock, and keeps nothing in it",
  },
  {
    file: "drivers/src/mounts/sqlite-thread.ts",
    reason: "reads a database of others, which a mount shows, and none of the kernel's",
  },
  {
    file: "drivers/src/mounts/pgvector-mount.ts",
    reason: "reads a database of others, which a mount shows, and none of the kernel's",
  },
  {
    file: "drivers/src/mounts/postgres-mount.ts",
    reason: "reads a database of others, which a mount shows, and none of the kernel's",
  },
  {
    file: "drivers/src/mounts/postgres-session.ts",
    reason: "reads a database of others, which a mount shows, and none of the kernel's",
  },
  {
    file: "attacks/src/catalogue/forged-rows.ts",
    reason: "writes into the database of a throw-away kernel, as somebody who has the disk would",
  },
  {
    file: "attacks/src/catalogue/forged-settings.ts",
    reason: "writes into the database of a throw-away kernel, as somebody who has the disk would",
  },
];

/** Where an import is of something that only the one who runs it knows. */
export const importsOfOthers: readonly Exception[] = [
  {
    file: "drivers/src/tool-host/inside/serve.ts",
    reason: "loads a project's own tools, in the sandbox: which ones, the project says",
  },
];

/** Where the kernel meets time or chance outside kernel/src/platform. */
export const chanceElsewhere: readonly Exception[] = [
  {
    file: "kernel/src/tlog/signer.ts",
    reason: "makes a key and a file name that nobody else has: neither must ever be foreseeable",
  },
  {
    file: "kernel/src/store/postgres/wake-channel.ts",
    reason: "tells its own notifications from those of other nodes; nothing recorded depends on it",
  },
];

/** Over 300 lines is a smell that a reviewer looks at; this many is a fault, also for a test. */
export const MAX_LINES = 450;

/** Names that say nothing about what is in the file. */
export const emptyNames: readonly string[] = [
  "utils",
  "util",
  "helpers",
  "helper",
  "manager",
  "misc",
  "common",
];

/**
 * Words that belong to somebody's machine and not into a repository. Each is written in two halves, so
 * that this list does not find itself.
 */
export const strangeWords: readonly (readonly [string, string])[] = [
  ["/work/", "main"],
  ["/work/", "shared"],
  ["/work/", ".mirror"],
  ["/work/", ".library"],
  ["/root", "/"],
  ["/home/", "runner"],
  ["bash_", "jobs"],
  ["npm.", "pkg.github.com"],
  ["registry.", "yarnpkg.com"],
  ["registry.", "npmmirror.com"],
  ["a-seed", "-"],
  ["co-authored", "-by"],
  ["generated ", "with"],
];

/** Where code looks at words for people, because whoever says them says nothing else. */
export const proseElsewhere: readonly Exception[] = [
  {
    file: "daemon/src/doctor/examine.ts",
    reason: "reads /proc/self/limits, a table of Linux whose rows have names with spaces",
  },
  {
    file: "dashboard/src/approvals/headline.ts",
    reason:
      "a question is stored as one text; the page leaves out the part that it shows as a table",
  },
  {
    file: "drivers/src/models/provider/failure.ts",
    reason:
      "vendors say with the same status and no code that the context, the money or a rate is used up",
  },
  {
    file: "drivers/src/programs/outside-hint.ts",
    reason: "interpreters say in words alone that a file is missing; only a hint depends on it",
  },
  {
    file: "drivers/src/sandbox/exit.ts",
    reason: "bubblewrap ends with 1 and words where it cannot start a program",
  },
  {
    file: "drivers/src/sandbox/crash-reason.ts",
    reason: "chooses which lines of a crashed program are shown, and decides nothing else",
  },
  {
    file: "drivers/src/tool-host/inside/serve.ts",
    reason:
      "Node has no field for the name that could not be imported; only a line number depends on it",
  },
  {
    file: "drivers/src/tool-host/tool-host.ts",
    reason: "V8 says in words alone that its heap is full, and aborts as it does for other reasons",
  },
  {
    file: "kernel/src/memory/dates.ts",
    reason:
      "reads the dates that people write in texts of memory; only the order of a search depends on it",
  },
  {
    file: "kernel/src/memory/query.ts",
    reason: "reads what sort of answer a question wants; only the order of a search depends on it",
  },
  {
    file: "kernel/src/memory/split-code.ts",
    reason: "reads source code of many languages; only where a passage begins depends on it",
  },
  {
    file: "kernel/src/process/budget-notice.ts",
    reason: "the cause of a notice is a format of the journal: written and read in this file alone",
  },
  {
    file: "kernel/src/scheduler/endings.ts",
    reason: "journals of release 0.1 have no other sign of a crash",
  },
  {
    file: "kernel/src/store/store-failure.ts",
    reason:
      "pools and sockets of databases fail with words alone; every case is ESTORE, and its words differ",
  },
  {
    file: "protocol/src/context-words.ts",
    reason: "what stands in for messages is a format that models read and journals have",
  },
  {
    file: "protocol/src/recorded-verdict.ts",
    reason:
      "the verdict of a record is a format of the journal: written and read in this file alone",
  },
  {
    file: "userland/src/agent/tool-run.ts",
    reason: "a result that was cut says where the whole is, in the text that took its place",
  },
  {
    file: "userland/src/earlier/agent-3/tool-run.ts",
    reason: "as userland/src/agent/tool-run.ts, of which it is an earlier version",
  },
];

/** Exported names that several files declare, and why; NAMES-1 of names.ts. */
export const repeatedNames: Readonly<Record<string, string>> = {
  PolicyLayerSource: "the kernel's, and the daemon's name for the same type of its options",
  defineTool:
    "the library's, and the one that a tool in a tool host imports under the same public name",
};
