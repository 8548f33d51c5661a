// Rows about messages: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";
import { summaryWith } from "./line/summary-with.ts";
import { labelOption } from "./start-options.ts";

const urgencyOptions: CommandRow["options"] = [
  ["--lane <lane>", operationHelp.send.args.lane],
  ["--ttl <duration>", "how long it may wait to be received, e.g. 30s; then it is a dead letter"],
];

const sendRow: Omit<CommandRow, "usage" | "examples"> = {
  summary: summaryWith(operationHelp.send.summary, "prints the message's id"),
  description:
    "TEXT may be @FILE, or - for standard input. A body that does not fit the schema of the receiver's mailbox is refused.",
  options: [
    ["--json", "the text is JSON"],
    ["--type <name>", operationHelp.send.args.type],
    ...urgencyOptions,
    labelOption,
  ],
  startsDaemon: true,
  load: () => import("./commands/send.ts"),
};

const deadRow: Omit<CommandRow, "usage" | "examples"> = {
  summary: operationHelp.deadLetters.summary,
  description:
    "A dead letter is a message whose lifetime was over, whose receiver ended, or that was a reply to no open request. The newest come first; `limits.deadLetters` and `limits.deadLetterAge` limit how many are kept and how long.",
  options: [
    ["-n, --limit <count>", operationHelp.deadLetters.args.limit],
    ["--after <id>", "the next page: the entries after this one"],
  ],
  watches: true,
  startsDaemon: true,
  load: () => import("./commands/msg-dead.ts"),
};

export const messageRows: readonly CommandRow[] = [
  {
    ...sendRow,
    usage: "send <pid> <text>",
    examples: ["aos send @last 'go on'", `aos send @last '{"n": 1}' --json --type order`],
  },
  {
    ...sendRow,
    usage: "msg send <pid> <text>",
    examples: ["aos msg send @last 'stop that' --lane critical", "aos msg send @last hi --ttl 30s"],
  },
  {
    usage: "msg publish <topic> <text>",
    summary: summaryWith(operationHelp.publish.summary, "prints how many it reached"),
    description:
      "TEXT may be @FILE, or - for standard input. An event that does not fit the schema of its topic is refused.",
    options: [
      ["--json", "the text is JSON"],
      ["--tenant <name>", operationHelp.publish.args.tenant],
      ...urgencyOptions,
      labelOption,
    ],
    examples: ["aos msg publish news.sport '0:0'", `aos msg publish orders '{"n": 1}' --json`],
    startsDaemon: true,
    load: () => import("./commands/msg-publish.ts"),
  },
  {
    usage: "msg tail [pid]",
    summary: operationHelp.tailMessages.summary,
    description:
      "Prints each send, request, publish and receive as it becomes durable; of one process where a pid is given. Ends with Ctrl-C, or with the process.",
    options: [["--topic <topic>", "only events of this topic"]],
    examples: ["aos msg tail", "aos msg tail @last -o json"],
    startsDaemon: true,
    load: () => import("./commands/msg-tail.ts"),
  },
  { ...deadRow, usage: "msg dlq [pid]", examples: ["aos msg dlq", "aos msg dlq @last -o json"] },
  {
    ...deadRow,
    usage: "msg dead [pid]",
    examples: ["aos msg dead", "aos msg dead @last -n 10 -o json"],
  },
  {
    usage: "msg redrive <id...>",
    summary: "Put dead letters back into a mailbox.",
    description:
      "A dead letter goes back to its receiver in the name of its sender, while that may still send to it; to another process, or where the sender has ended, it comes from the operator. Its label stays.",
    options: [["--to <pid>", operationHelp.redrive.args.to]],
    examples: [
      "aos msg redrive msg_01kx",
      "aos msg dlq -o name | xargs aos msg redrive --to @last",
    ],
    startsDaemon: true,
    load: () => import("./commands/msg-redrive.ts"),
  },
  {
    usage: "msg topics",
    summary: operationHelp.topics.summary,
    description:
      "The column WAITING counts events of durable subscriptions that nobody has received yet.",
    options: [["--tenant <name>", "only this tenant's"]],
    examples: ["aos msg topics", "aos msg topics -o json"],
    names: "topic",
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/msg-topics.ts"),
  },
  {
    usage: "msg schema <topic> [schema]",
    summary: operationHelp.setTopicSchema.summary,
    description:
      "SCHEMA is JSON, @FILE, or - for standard input. An event that does not fit is refused at its publisher, with the path that does not fit.",
    options: [
      ["--remove", "remove the schema of the topic"],
      ["--tenant <name>", operationHelp.setTopicSchema.args.tenant],
    ],
    examples: ["aos msg schema orders @order.schema.json", "aos msg schema orders --remove"],
    startsDaemon: true,
    load: () => import("./commands/msg-schema.ts"),
  },
];
