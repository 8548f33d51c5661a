// Rows about notifications: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

const tenantOption = ["--tenant <name>", operationHelp.notifyTargets.args.tenant] as const;

export const notifyRows: readonly CommandRow[] = [
  {
    usage: "notify ls",
    summary: operationHelp.notifyTargets.summary,
    description: "The rows are those of `notify:` in config.yaml (docs/notifications.md).",
    options: [tenantOption],
    examples: ["aos notify ls", "aos notify ls -o json"],
    watches: true,
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/notify-ls.ts"),
  },
  {
    usage: "notify test <name>",
    summary: operationHelp.testNotify.summary,
    description: "Fails where the target does not take it. Warnings say what its links need.",
    options: [tenantOption],
    examples: ["aos notify test phone"],
    names: "id",
    startsDaemon: true,
    load: () => import("./commands/notify-test.ts"),
  },
  {
    usage: "notify log",
    summary: operationHelp.notifications.summary,
    options: [
      ["--target <name>", operationHelp.notifications.args.target],
      ["--state <state>", operationHelp.notifications.args.state],
      ["-n, --limit <count>", operationHelp.notifications.args.limit],
      ["--after <id>", operationHelp.notifications.args.olderThan],
      tenantOption,
    ],
    examples: ["aos notify log", "aos notify log --state dead"],
    watches: true,
    names: "id",
    startsDaemon: true,
    load: () => import("./commands/notify-log.ts"),
  },
  {
    usage: "notify retry <id>",
    summary: operationHelp.retryNotification.summary,
    options: [tenantOption],
    examples: ["aos notify retry ntf_0d1c2b3a"],
    names: "id",
    startsDaemon: true,
    load: () => import("./commands/notify-retry.ts"),
  },
];
