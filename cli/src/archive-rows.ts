// The commands about the archive: runs that left the database as bundles.

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const archiveRows: readonly CommandRow[] = [
  {
    usage: "archive [pid]",
    summary: operationHelp.archiveRuns.summary,
    description:
      "`archive PID` takes the tree of that run, `archive --older-than TIME` every tree that ended before, and `archive` alone what is beyond the limits of the retention. A bundle is on the disk, read back and compared before anything leaves the database; `show`, `logs`, `why` and `replay` go on answering. `retention.archive` in config.yaml names the folder.",
    options: [
      ["--older-than <time>", "trees that ended longer ago than this, e.g. 7d"],
      ["--dry-run", operationHelp.archiveRuns.args.dryRun],
    ],
    examples: ["aos archive @last", "aos archive --older-than 7d --dry-run", "aos archive -o json"],
    names: "bundles",
    startsDaemon: true,
    load: () => import("./commands/archive.ts"),
  },
  {
    usage: "archive ls",
    summary: operationHelp.archivedRuns.summary,
    options: [
      ["--tenant <name>", operationHelp.archivedRuns.args.tenant],
      ["--agent <name>", operationHelp.archivedRuns.args.agent],
      ["--limit <n>", operationHelp.archivedRuns.args.limit],
    ],
    examples: ["aos archive ls", "aos archive ls --agent researcher -o json"],
    names: "pid",
    startsDaemon: true,
    load: () => import("./commands/archive-ls.ts"),
  },
  {
    usage: "archive verify",
    summary: operationHelp.verifyArchive.summary,
    description:
      "Every bundle that the ledger names must be there with the digest that it had, signed, and with records that follow each other. `aos replay PID` runs one again.",
    examples: ["aos archive verify", "aos archive verify -o json"],
    startsDaemon: true,
    load: () => import("./commands/archive-verify.ts"),
  },
];
