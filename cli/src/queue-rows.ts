// Rows about work that waits its turn, and about agents that are asked: a part of the commands
// (commands.ts).

import type { CommandRow } from "./command.ts";
import { labelOption, startOptions } from "./start-options.ts";

export const queueRows: readonly CommandRow[] = [
  {
    usage: "submit <agent> [input]",
    summary: "Hand in work that may wait; prints the pid and its place in the queue.",
    description:
      "Like spawn, in the lane `background` unless told otherwise. When the queue is full it is refused with exit code 67, and says when to come again.",
    options: [
      ...startOptions,
      ["--wait", "wait for its end and print its result; the exit code is the agent's"],
    ],
    examples: [
      "aos submit researcher 'the long question'",
      "aos submit reviewer --input @diff.txt --lane low --deadline 1h --ttl hops=2,wall=3h",
    ],
    startsDaemon: true,
    load: () => import("./commands/submit.ts"),
  },
  {
    usage: "nice <pid> <lane>",
    summary: "Say how urgent a process is, and all that it has started.",
    description:
      "LANE is critical, high, normal, low or background. What waits to begin, and what it asks models, is served in that order.",
    examples: ["aos nice @last high", "aos nice agt_01kx background -o json"],
    startsDaemon: true,
    load: () => import("./commands/nice.ts"),
  },
  {
    usage: "invoke <pid> [input]",
    summary: "Ask a living agent something, and print its answer.",
    description:
      "INPUT is text, @FILE, or - for standard input. The same key is asked once, however often it is sent: it has the same answer. When the time is up (exit code 66) the agent goes on, and its answer can be had with the key.",
    options: [
      ["--input-json <json>", "the input, read as JSON"],
      ["--context <file>", "JSON messages that take the place of its context first"],
      ["--key <key>", "the same key has the same answer"],
      ["-t, --timeout <duration>", "at most so long, e.g. 60s"],
      labelOption,
    ],
    examples: [
      "aos invoke @last 'and in one sentence?'",
      "aos invoke agt_01kx --input-json '{\"n\": 1}' --key order-17 --timeout 60s",
    ],
    startsDaemon: true,
    load: () => import("./commands/invoke.ts"),
  },
];
