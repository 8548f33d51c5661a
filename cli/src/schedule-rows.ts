// Rows about schedules: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

const tenantOption = ["--tenant <name>", operationHelp.schedule.args.tenant] as const;

const writtenOptions: CommandRow["options"] = [
  ["--cron <pattern>", "when, e.g. '30 2 * * 1-5'; six fields begin with seconds"],
  ["--timezone <zone>", "an IANA time zone (default: UTC)"],
  ["--every <duration>", "in place of --cron, e.g. 15m"],
  ["--agent <agent>", "what it runs: a name, a manifest file or a folder with agent.yaml"],
  ["--input <text>", "the input of each run; @FILE, or - for standard input"],
  ["--input-json <json>", "the same as JSON"],
  ["--jitter <duration>", "spread starts by up to this"],
  ["--overlap <rule>", "while a run goes on: skip (default), queue, replace or allow"],
  ["--catch-up <rule>", "after a downtime: latest (default), none or all"],
  ["--budget <limits>", "of one run, e.g. usd=0.50,tokens=200k,wall=10m"],
  ["--monthly <limits>", "of all runs of a month, e.g. usd=20"],
  ["--cap <capability...>", "only these capabilities of its manifest (repeatable)"],
  ["--lane <lane>", "its priority in the queues"],
  ["--label <label>", "the label of the input (default: trusted/public)"],
  ["--pause-after <count>", "failures in a row that pause it (default: 5)"],
  ["--paused", "create it paused"],
  ["--dir <folder>", "what /work is for its runs"],
  ["--cow", "a copy of that folder"],
  tenantOption,
];

export const scheduleRows: readonly CommandRow[] = [
  {
    usage: "schedule create <name>",
    summary: operationHelp.createSchedule.summary,
    description:
      "NAME is the name of the schedule, or a file with `kind: Schedule`. Its runs have the capabilities that the agent has now, whatever it is given later.",
    options: writtenOptions,
    examples: [
      "aos schedule create nightly --cron '30 2 * * *' --timezone Europe/Berlin --agent hello",
      "aos schedule create poll --every 15m --agent hello --overlap queue --input 'Good morning'",
      "aos schedule create nightly.yaml",
    ],
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/schedule-create.ts"),
  },
  {
    usage: "schedule edit <name>",
    summary: operationHelp.editSchedule.summary,
    description:
      "Options replace what they name; a file replaces all. Its runs have the capabilities that the agent has now.",
    options: writtenOptions,
    examples: ["aos schedule edit nightly --cron '0 4 * * *'", "aos schedule edit nightly.yaml"],
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/schedule-edit.ts"),
  },
  {
    usage: "schedule ls",
    summary: operationHelp.schedules.summary,
    options: [["--tenant <name>", operationHelp.schedules.args.tenant]],
    examples: ["aos schedule ls", "aos schedule ls --watch", "aos schedule ls -o json"],
    watches: true,
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/schedule-ls.ts"),
  },
  {
    usage: "schedule show <name>",
    summary: operationHelp.schedule.summary,
    options: [tenantOption],
    examples: ["aos schedule show nightly", "aos schedule show nightly -o json"],
    watches: true,
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/schedule-show.ts"),
  },
  {
    usage: "schedule history <name>",
    summary: operationHelp.scheduleTicks.summary,
    description:
      "A row for every tick: started, queued, skipped (an earlier run, the budget, a pause, a downtime) or failed. NOMINAL is its time, DUE the same with its jitter.",
    options: [
      ["-n, --limit <count>", operationHelp.scheduleTicks.args.limit],
      ["--after <id>", operationHelp.scheduleTicks.args.olderThan],
      tenantOption,
    ],
    examples: ["aos schedule history nightly", "aos schedule history nightly -n 10 -o json"],
    watches: true,
    names: "id",
    startsDaemon: true,
    load: () => import("./commands/schedule-history.ts"),
  },
  {
    usage: "schedule run <name>",
    summary: operationHelp.runSchedule.summary,
    options: [["--key <key>", operationHelp.runSchedule.args.key], tenantOption],
    examples: ["aos schedule run nightly", "aos schedule run nightly --key deploy-7"],
    names: "pid",
    startsDaemon: true,
    load: () => import("./commands/schedule-run.ts"),
  },
  {
    usage: "schedule pause <name>",
    summary: operationHelp.pauseSchedule.summary,
    options: [["--reason <text>", operationHelp.pauseSchedule.args.reason], tenantOption],
    examples: ["aos schedule pause nightly --reason holidays"],
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/schedule-pause.ts"),
  },
  {
    usage: "schedule resume <name>",
    summary: operationHelp.resumeSchedule.summary,
    options: [tenantOption],
    examples: ["aos schedule resume nightly"],
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/schedule-resume.ts"),
  },
  {
    usage: "schedule rm <name>",
    summary: operationHelp.removeSchedule.summary,
    options: [tenantOption],
    examples: ["aos schedule rm nightly"],
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/schedule-rm.ts"),
  },
];
