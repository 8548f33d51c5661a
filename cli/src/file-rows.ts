// Rows about the file tree: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

const TREE =
  "PATH is a path of the tree that agents see: /mem, /mnt, /policy and so on; `aos fs mount` lists the mounts. With --pid it is read as that process sees it. Without, a process of its own reads what the tenant shares; the gate checks it and its journal is kept.";

const whose: NonNullable<CommandRow["options"]> = [
  ["--pid <pid>", operationHelp.readFile.args.pid],
  ["--tenant <name>", "of this tenant"],
];

export const fileRows: readonly CommandRow[] = [
  {
    usage: "fs ls [path]",
    summary: operationHelp.listFiles.summary,
    description: TREE,
    options: [
      ...whose,
      ["-n, --limit <count>", operationHelp.listFiles.args.limit],
      ["--after <path>", operationHelp.listFiles.args.after],
    ],
    examples: ["aos fs ls", "aos fs ls /mem/shared", "aos fs ls /proc --pid @last"],
    startsDaemon: true,
    load: () => import("./commands/fs-ls.ts"),
  },
  {
    usage: "fs cat <path>",
    summary: "Print a file.",
    description: `Prints text as it is, and everything else as JSON. ${TREE}`,
    options: [
      ...whose,
      ["--version <version>", operationHelp.fileVersion.args.version],
      ["-n, --limit <count>", operationHelp.readFile.args.limit],
      ["--after <cursor>", operationHelp.readFile.args.after],
    ],
    examples: ["aos fs cat /mem/shared/note", "aos fs cat /policy/summary --pid @last"],
    startsDaemon: true,
    load: () => import("./commands/fs-cat.ts"),
  },
  {
    usage: "fs find <path> <query>",
    summary: operationHelp.findFiles.summary,
    description: TREE,
    options: [...whose, ["-n, --limit <count>", operationHelp.findFiles.args.limit]],
    examples: ["aos fs find /mem/shared 'deploy key'", "aos fs find /ctx/archive port --pid @last"],
    startsDaemon: true,
    load: () => import("./commands/fs-find.ts"),
  },
  {
    usage: "fs mount",
    summary: operationHelp.mounts.summary,
    options: whose,
    examples: ["aos fs mount", "aos fs mount -o json"],
    startsDaemon: true,
    load: () => import("./commands/fs-mount.ts"),
  },
  {
    usage: "fs write <path> <data>",
    summary: operationHelp.writeFile.summary,
    description:
      "DATA is JSON, @FILE, or - for standard input; with --text it is taken as it is. A process of its own writes it; the gate checks it and its journal is kept. Memory of an agent is below /mem/agents/SPACE; its episodic part is written once.",
    options: [
      ["--text", "the data is text, and no JSON"],
      ["--label <label>", operationHelp.writeFile.args.label],
      ["--tenant <name>", "of this tenant"],
    ],
    examples: [
      `aos fs write /mem/shared/limits '{"perDay": 3}'`,
      "aos fs write /mem/shared/note --text 'the port is 8080'",
    ],
    startsDaemon: true,
    load: () => import("./commands/fs-write.ts"),
  },
  {
    usage: "fs rm <path>",
    summary: operationHelp.removeFile.summary,
    options: [["--tenant <name>", "of this tenant"]],
    examples: ["aos fs rm /mem/shared/note"],
    startsDaemon: true,
    load: () => import("./commands/fs-rm.ts"),
  },
  {
    usage: "fs log <path>",
    summary: operationHelp.fileVersions.summary,
    description:
      "Every write of memory is in the journal of its writer; what retention has removed is not listed. A file of /mem/working needs --pid.",
    options: [
      ...whose,
      ["-n, --limit <count>", operationHelp.fileVersions.args.limit],
      ["--after <cursor>", operationHelp.fileVersions.args.after],
    ],
    examples: ["aos fs log /mem/shared/note", "aos fs log /mem/working/plan --pid @last"],
    startsDaemon: true,
    load: () => import("./commands/fs-log.ts"),
  },
  {
    usage: "fs diff <path>",
    summary: operationHelp.diffFile.summary,
    description:
      "Without versions: the last change. Of a file of /work, with --pid: what it was when the workspace was made, and what it is now.",
    options: [
      ["--from <version>", operationHelp.diffFile.args.from],
      ["--to <version>", operationHelp.diffFile.args.to],
      ...whose,
    ],
    examples: ["aos fs diff /mem/shared/note", "aos fs diff /work/src/a.ts --pid @last"],
    startsDaemon: true,
    load: () => import("./commands/fs-diff.ts"),
  },
  {
    usage: "fs restore <path>",
    summary: operationHelp.restoreFile.summary,
    description:
      "A process of its own writes it, with the label that the version has; the gate checks it and its journal is kept. The restore is a version itself: restore the one before it to take it back. Files of /work go back with `aos undo`.",
    options: [
      ["--version <version>", "the version: PID#SEQ, as `aos fs log` has it"],
      ["--tenant <name>", "of this tenant"],
    ],
    examples: ["aos fs restore /mem/shared/note --version agt_01J8ZK3M7Q2W9X4Y5T6R7S8V9B#3"],
    startsDaemon: true,
    load: () => import("./commands/fs-restore.ts"),
  },
];
