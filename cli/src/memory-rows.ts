// Rows about memory: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const memoryRows: readonly CommandRow[] = [
  {
    usage: "mem search <query>",
    summary: "Find by its words what agents have written to shared memory.",
    description:
      "A process searches /mem/shared, /mem/semantic and /mem/episodic of a tenant; the gate judges it, and its journal is kept. The best comes first: 1.00 has all words.",
    options: [
      ["--agent <name>", "only what processes of this agent wrote"],
      ["--pid <pid>", "only what this process wrote"],
      ["--path <path>", "only below this path, e.g. /mem/semantic/people"],
      ["--tenant <name>", "in the memory of this tenant"],
      ["-n, --limit <count>", "at most so many (default: 10)"],
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
    summary: "List messages that nobody will take.",
    description:
      "Replies to a request that is over, was never made, or was made to somebody else. They wait in no mailbox. The newest come first; `limits.deadLetters` and `limits.deadLetterAge` say how many are kept, and for how long.",
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
    summary: "List the files that a process has in memory.",
    description:
      "Those below /mem/working are its own, the others are its tenant's. PATH is /mem unless said. It need not run, nor live.",
    options: [
      ["-n, --limit <count>", "at most so many, by path; 1000 unless said, 10000 at once"],
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
    summary: "Print a file that a process has in memory.",
    description: "Text as it is, everything else as JSON. With -o json also who wrote it and when.",
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
