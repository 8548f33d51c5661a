// Rows about memory: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const memoryRows: readonly CommandRow[] = [
  {
    usage: "search <query>",
    summary: operationHelp.searchRuns.summary,
    description:
      "The best match comes first, with its record: `aos logs PID` and `aos why PID SEQ` show what is around it; -o wide says why each was found. `aos mem search` searches what agents keep, `aos ctx ask` ingested files.",
    options: [
      ["--agent <name>", operationHelp.searchRuns.args.agent],
      ["--pid <pid>", operationHelp.searchRuns.args.pid],
      ["--since <duration>", "only what was said in this time, e.g. 7d"],
      ["--until <duration>", "only what was said before this time, e.g. 1d"],
      ["--label <integrity>", operationHelp.searchRuns.args.label],
      ["--tenant <name>", operationHelp.searchRuns.args.tenant],
      ["-n, --limit <count>", operationHelp.searchRuns.args.limit],
    ],
    examples: [
      "aos search 'what did we decide about the port'",
      "aos search ferry --agent researcher --since 7d -n 3 -o json",
    ],
    names: "found.pid",
    startsDaemon: true,
    load: () => import("./commands/search.ts"),
  },
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
      ["--label <integrity>", operationHelp.searchMemory.args.label],
      ["--since <duration>", "only what was written in this time, e.g. 7d"],
      ["--until <duration>", "only what was written before this time, e.g. 1d"],
      ["-n, --limit <count>", operationHelp.searchMemory.args.limit],
      ["--rerank <model>", operationHelp.searchMemory.args.rerank],
      ["--usd <amount>", operationHelp.searchMemory.args.usd],
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
    usage: "mem approve <path>",
    summary: "Let a fact out of quarantine.",
    description:
      "What an untrusted run wrote to the facts of an agent is found by no search until a person has let it in. This writes the fact as it is now in your name, as trusted and as secret as it was. It shows the fact, with writer, label, source and what it would replace or contradict, and asks; without a terminal it needs --yes. PATH is below /mem/agents/SPACE/semantic; aos mem search --label untrusted finds it.",
    options: [
      ["--yes", "do not ask"],
      ["--tenant <name>", operationHelp.writeFile.args.tenant],
    ],
    examples: ["aos mem approve /mem/agents/researcher/semantic/facts/port/1"],
    startsDaemon: true,
    load: () => import("./commands/mem-approve.ts"),
  },
  {
    usage: "mem reject <path>",
    summary: "Remove a fact in quarantine.",
    description: "Removes the file. The journal of the run that wrote it stays.",
    options: [["--tenant <name>", operationHelp.removeFile.args.tenant]],
    examples: ["aos mem reject /mem/agents/researcher/semantic/facts/port/1"],
    startsDaemon: true,
    load: () => import("./commands/mem-reject.ts"),
  },
  {
    usage: "mem tidy",
    summary: operationHelp.tidyMemory.summary,
    description:
      "In each space of an agent, replaced facts are removed, of facts with the same words the most trusted stays, and three or more episodes of one goal and outcome become one. What is removed is kept for 30 days: --undo restores it.",
    options: [
      ["--agent <name>", operationHelp.tidyMemory.args.agent],
      ["--older-than <time>", operationHelp.tidyMemory.args.olderThanMs],
      ["--max-age <time>", operationHelp.tidyMemory.args.maxAgeMs],
      ["--max-rows <count>", operationHelp.tidyMemory.args.maxRows],
      ["--dry-run", operationHelp.tidyMemory.args.dryRun],
      ["--undo <id>", "take back what was tidied under this id"],
      ["--tenant <name>", operationHelp.tidyMemory.args.tenant],
    ],
    examples: ["aos mem tidy --dry-run", "aos mem tidy --agent researcher --max-rows 5000"],
    startsDaemon: true,
    load: () => import("./commands/mem-tidy.ts"),
  },
  {
    usage: "mem forget",
    summary: operationHelp.forgetMemory.summary,
    description:
      "--about finds every file, record, message and result of a tenant that has these words, whatever their case; --path, --pid and --writer name files of memory, of which every copy goes too. It shows what it found and asks before it removes anything; without a terminal pass --yes. Affected runs cannot be replayed. A running process keeps what it needs, and the command fails with its name: --stop ends it first. See docs/forgetting.md.",
    options: [
      ["--about <words>", operationHelp.forgetMemory.args.about],
      ["--path <path>", operationHelp.forgetMemory.args.path],
      ["--pid <pid>", operationHelp.forgetMemory.args.pid],
      ["--writer <agent>", operationHelp.forgetMemory.args.writer],
      ["--dry-run", operationHelp.forgetMemory.args.dryRun],
      ["--stop", operationHelp.forgetMemory.args.stop],
      ["--yes", "do not ask"],
      ["--tenant <name>", operationHelp.forgetMemory.args.tenant],
    ],
    examples: [
      "aos mem forget --about 'Alice Miller' --dry-run",
      "aos mem forget --path /mem/agents/researcher/semantic/facts/alice-miller --yes",
    ],
    startsDaemon: true,
    load: () => import("./commands/mem-forget.ts"),
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
  {
    usage: "mem add <text>",
    summary: operationHelp.addFact.summary,
    description:
      "The fact is trusted, with the source `operator` unless said. TEXT may be @FILE, or - for standard input. The agent finds it with memory.recall.",
    options: [
      ["--agent <name>", operationHelp.addFact.args.agent],
      ["--path <path>", operationHelp.addFact.args.path],
      ["--subject <text>", operationHelp.addFact.args.subject],
      ["--confidence <number>", operationHelp.addFact.args.confidence],
      ["--source <text>", operationHelp.addFact.args.source],
      ["--replaces <path>", operationHelp.addFact.args.replaces],
      ["--tenant <name>", operationHelp.addFact.args.tenant],
    ],
    examples: [
      "aos mem add 'The gateway listens on port 9443.' --agent researcher --subject 'gateway port'",
      "aos mem add @fact.txt --path /mem/shared/team",
    ],
    names: "path",
    startsDaemon: true,
    load: () => import("./commands/mem-add.ts"),
  },
  {
    usage: "mem show <path>",
    summary: operationHelp.memoryRecord.summary,
    description:
      "Writer, label, time, the journal record that wrote it and the one that it was taken from, what it replaces, what replaces it, and what contradicts it.",
    options: [["--tenant <name>", operationHelp.memoryRecord.args.tenant]],
    examples: ["aos mem show /mem/agents/researcher/semantic/facts/gateway-port/8c1f0a2b3c4d5e6f"],
    watches: true,
    names: "path",
    startsDaemon: true,
    load: () => import("./commands/mem-show.ts"),
  },
  {
    usage: "mem export [path]",
    summary: "Print the files of memory as JSON lines.",
    description:
      "One file a line: path, data, writer, label and time. `aos mem import` reads them. /mem/working is left out.",
    options: [
      ["--agent <name>", operationHelp.exportMemory.args.agent],
      ["--tenant <name>", operationHelp.exportMemory.args.tenant],
    ],
    examples: [
      "aos mem export --agent researcher > researcher.jsonl",
      "aos mem export /mem/shared",
    ],
    names: "path",
    startsDaemon: true,
    load: () => import("./commands/mem-export.ts"),
  },
  {
    usage: "mem import <file>",
    summary: "Write files of memory from JSON lines.",
    description:
      "FILE is what `aos mem export` printed, or - for standard input. What is there already is left as it is, so that an import can be repeated. Everything is untrusted, unless --trusted says that the labels in the file are right.",
    options: [
      ["--agent <name>", operationHelp.importMemory.args.agent],
      ["--trusted", operationHelp.importMemory.args.trusted],
      ["--tenant <name>", operationHelp.importMemory.args.tenant],
    ],
    examples: [
      "aos mem import researcher.jsonl --trusted",
      "aos mem export --agent old | aos mem import - --agent new",
    ],
    startsDaemon: true,
    load: () => import("./commands/mem-import.ts"),
  },
  {
    usage: "mem stats",
    summary: operationHelp.memoryStats.summary,
    description: "Rows, bytes, kinds, labels, and the oldest and the newest, for each space.",
    options: [["--tenant <name>", operationHelp.memoryStats.args.tenant]],
    examples: ["aos mem stats", "aos mem stats -o json"],
    watches: true,
    names: "space",
    startsDaemon: true,
    load: () => import("./commands/mem-stats.ts"),
  },
];
