// Rows about queued work and about invoking agents: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";
import { labelOption, startOptions } from "./start-options.ts";

export const queueRows: readonly CommandRow[] = [
  {
    usage: "submit [agent-or-goal] [input]",
    summary: "Queue an agent or a goal; prints the pid and its position in the queue.",
    description:
      "One word is an agent, started like by spawn; several words are a goal, which is planned and given to roles (docs/goals.md). Both begin in the lane `background` unless --lane is given. If the queue is full, the exit code is 67 and the message says when to retry.",
    options: [
      ...startOptions,
      ["--wait", "wait for the end and print the result; the exit code is the agent's"],
      ["--goal", "the text is a goal, also where it is one word"],
      [
        "--plan",
        "of a goal: make the plan, show it with its cost, let it be edited ($EDITOR), and ask",
      ],
      ["--plan-file <file>", "of a goal: walk this plan, YAML or JSON"],
      ["--direct", "of a goal: no plan; one generalist does it"],
      ["--role <role...>", "of a goal: only these roles (repeatable)"],
      ["--model <model...>", "of a goal: models of its roles, the cheapest first (repeatable)"],
      ["-f, --follow", "of a goal: print what it does, line by line, to its end"],
    ],
    examples: [
      "aos submit researcher 'the long question'",
      "aos submit 'compare the two reports in /work and write a summary' --dir .",
      "aos submit 'review the parser' --plan --role reviewer",
      "aos submit reviewer --input @diff.txt --lane low --deadline 1h --ttl hops=2,wall=3h",
    ],
    startsDaemon: true,
    load: () => import("./commands/submit.ts"),
  },
  {
    usage: "nice <pid> <lane>",
    summary: operationHelp.nice.summary,
    description:
      "LANE is critical, high, normal, low or background. The start queue and the model queues are served in that order.",
    examples: ["aos nice @last high", "aos nice agt_01kx background -o json"],
    startsDaemon: true,
    load: () => import("./commands/nice.ts"),
  },
  {
    usage: "invoke <pid> [input]",
    summary: operationHelp.invoke.summary,
    description:
      "INPUT is text, @FILE, or - for standard input. Requests with the same key are asked once and get the same answer. On a timeout (exit code 66) the agent continues; repeat the request with the same key to get the answer.",
    options: [
      ["--input-json <json>", "the input, read as JSON"],
      ["--context <file>", operationHelp.invoke.args.context],
      ["--key <key>", operationHelp.invoke.args.key],
      ["-t, --timeout <duration>", "wait at most this long, e.g. 60s"],
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
