// The commands that copy what is kept: backups, other databases, other machines.

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

const passphraseFile = ["--passphrase-file <file>", "a file with the passphrase"] as const;

export const backupRows: readonly CommandRow[] = [
  {
    usage: "backup <file>",
    summary: "Write everything that is kept to one sealed file, while agents run.",
    description:
      "Database, blobs, signed log, settings, workspaces and keys, sealed under a passphrase from --passphrase-file, AOS_PASSPHRASE or the prompt. Whatever was acknowledged before `endedAt` is in it. The file has mode 0600 and never replaces another.",
    options: [passphraseFile],
    examples: [
      "aos backup /mnt/backup/monday.aosb --passphrase-file ~/.aos-passphrase",
      "AOS_PASSPHRASE=… aos backup monday.aosb -o json",
    ],
    names: "file",
    startsDaemon: false,
    load: () => import("./commands/backup.ts"),
  },
  {
    usage: "restore <file>",
    summary: "Make a home from a backup, after an audit and a replay of every run in it.",
    description:
      "Into AOS_HOME or --home, which must have no runs. Everything is unpacked and verified beside it; a failure leaves nothing behind. The restored home has the identity of the original: never run both.",
    options: [
      ["--home <dir>", "the home to make (default: AOS_HOME)"],
      ["--database <where>", "`sqlite`, or the URL of an empty PostgreSQL database"],
      passphraseFile,
      ["--skip-replay", "audit only, without replaying the runs"],
      ["--dry-run", "verify the backup and restore nothing"],
      ["--force", "restore what the audit or a replay finds wrong, too"],
    ],
    examples: [
      "aos restore monday.aosb --home /srv/aos --passphrase-file ~/.aos-passphrase",
      "aos restore monday.aosb --dry-run",
    ],
    names: "home",
    startsDaemon: false,
    load: () => import("./commands/restore.ts"),
  },
  {
    usage: "migrate",
    summary: "Move everything between SQLite and PostgreSQL, while no daemon runs.",
    description:
      "Journals stay the same byte for byte; every row is compared afterwards and the whole is audited. The target must be empty, and has everything or nothing at the end. The old database is set aside.",
    options: [
      ["--to <where>", "`sqlite`, postgres://…, or `postgres` for the address in AOS_DATABASE_URL"],
      ["--from <url>", "the server to copy from, where it is not the configured one"],
      ["--schema <number>", "take the last steps of the schema back, for an earlier release"],
    ],
    examples: [
      "aos migrate --to postgres://aos@db.example/aos",
      "aos migrate --to sqlite",
      "aos migrate --schema 12",
    ],
    startsDaemon: false,
    load: () => import("./commands/migrate.ts"),
  },
  {
    usage: "export <pid> [file]",
    summary: "Write runs to one signed file that another machine can replay.",
    description:
      "`export PID FILE`, or `export --agent NAME FILE`, or `export --since TIME FILE`. The whole tree of a run: records, large values and manifests, signed with the key of the signed log. With --agent or --since every tree that has such a run. The file has what the runs recorded, without secrets; it is not sealed.",
    options: [
      ["--agent <name>", operationHelp.exportRuns.args.agent],
      ["--since <time>", "runs that were started in this time, e.g. 7d"],
    ],
    examples: [
      "aos export @last run.bundle",
      "aos export --agent researcher --since 7d week.bundle",
    ],
    names: "file",
    startsDaemon: true,
    load: () => import("./commands/export.ts"),
  },
  {
    usage: "import [file]",
    summary: "Import runs of another machine as history; without a file, list them.",
    description:
      "A file that was changed is refused, and every run is replayed first. Imported runs are in no list of processes: they do not run, spend nothing and cannot be resumed or forked. `aos replay PID` replays one again.",
    examples: ["aos import run.bundle", "aos import -o json"],
    names: "runs.pid",
    startsDaemon: false,
    load: () => import("./commands/import.ts"),
  },
];
