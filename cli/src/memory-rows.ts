// Rows about memory: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const memoryRows: readonly CommandRow[] = [
  {
    usage: "mem search <query>",
    summary: "Search the shared memory of agents by keywords.",
    description:
      "A process searches /mem/shared, /mem/semantic and /mem/episodic of a tenant; the gate checks it and its journal is kept. The best match comes first; a score of 1.00 means that all words match.",
    options: [
      ["--agent <name>", "only what processes of this agent wrote"],
      ["--pid <pid>", "only what this process wrote"],
      ["--path <path>", "only below this path, e.g. /mem/semantic/people"],
      ["--tenant <name>", "in the memory of this tenant"],
      ["-n, --limit <count>", "at most this many (default: 10)"],
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
    usage: "msg dead [pid]",
    summary: "List dead letters: messages that no process will receive.",
    description:
      "A dead letter is a reply to a request that has ended, never existed, or was made to another process. The newest come first; `limits.deadLetters` and `limits.deadLetterAge` limit how many are kept and how long.",
    options: [
      ["-n, --limit <count>", "at most this many (default: 100, limit: 1000)"],
      ["--after <id>", "the next page: the entries after this one"],
    ],
    examples: ["aos msg dead", "aos msg dead @last -n 10 -o json"],
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/msg-dead.ts"),
  },
  {
    usage: "mem ls <pid> [path]",
    summary: "List the memory files of a process.",
    description:
      "Files below /mem/working belong to the process, the others to its tenant. PATH defaults to /mem. The process may have ended.",
    options: [
      ["-n, --limit <count>", "at most this many, by path (default: 1000, limit: 10000)"],
      ["--after <path>", "the next page: the entries after this one"],
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
