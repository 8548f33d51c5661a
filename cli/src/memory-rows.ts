// Rows about memory: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const memoryRows: readonly CommandRow[] = [
  {
    usage: "mem search <query>",
    summary: operationHelp.searchMemory.summary,
    description:
      "A process searches /mem/shared and the long-term memory of every agent of a tenant (/mem/agents/SPACE); the gate checks it and its journal is kept. The best match comes first; -o wide says why each was found.",
    options: [
      ["--agent <name>", operationHelp.searchMemory.args.agent],
      ["--pid <pid>", operationHelp.searchMemory.args.pid],
      ["--path <path>", operationHelp.searchMemory.args.path],
      ["--tenant <name>", operationHelp.searchMemory.args.tenant],
      ["-n, --limit <count>", operationHelp.searchMemory.args.limit],
    ],
    examples: [
      "aos mem search 'deploy key'",
      "aos mem search ferry --agent researcher -n 3 -o json",
    ],
    names: "found.path",
    startsDaemon: true,
    load: () => import("./commands/mem-search.ts"),
  },
  {
    usage: "mem ls <pid> [path]",
    summary: "List the memory files of a process.",
    description:
      "Files below /mem/working belong to the process, those below /mem/semantic and /mem/episodic to its agent, the others to its tenant. PATH defaults to /mem. The process may have ended.",
    options: [
      ["-n, --limit <count>", operationHelp.memory.args.limit],
      ["--after <path>", operationHelp.memory.args.after],
    ],
    examples: [
      "aos mem ls @last",
      "aos mem ls @last /mem/working -o wide",
      "aos mem ls @last -n 100 --after /mem/shared/note",
    ],
    watches: true,
    names: "path",
    startsDaemon: true,
    load: () => import("./commands/mem-ls.ts"),
  },
  {
    usage: "mem read <pid> <path>",
    summary: "Print a memory file of a process.",
    description:
      "Prints text as it is, and everything else as JSON. -o json adds the writer and the time.",
    examples: [
      "aos mem read @last /mem/working/notes",
      "aos mem read @last /mem/shared/note -o json",
    ],
    watches: true,
    names: "path",
    startsDaemon: true,
    load: () => import("./commands/mem-read.ts"),
  },
];
