// Process rows: the daemon, and what is done with processes: the commands that people type most.
//
// PROCESS-ROWS-1  Their first words are theirs alone: who types one of them needs no other row (run.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";
import { estimateOption } from "./cost-rows.ts";
import { summaryWith } from "./line/summary-with.ts";
import { chatOptions, modelOption, noAskOption, startOptions } from "./start-options.ts";

export const processRows: readonly CommandRow[] = [
  {
    usage: "up",
    summary: "Start the daemon.",
    description:
      "Runs in the foreground unless --detach is given; the log goes to standard error. At a terminal on a machine without a sandbox it asks whether to install one. Where the home has a service, it starts that.",
    options: [
      [
        "-d, --detach",
        "run in the background and return when ready; the log goes to $AOS_HOME/daemon.log",
      ],
      ["--http <address>", "the address to listen on: HOST:PORT, or off"],
      ["--log-level <level>", "trace, debug, info, warn or error"],
      ["--log-format <format>", "json, pretty, or auto (pretty on a terminal)"],
      ["--no-setup", "do not offer to install the sandbox"],
    ],
    examples: ["aos up -d", "AOS_HOME=/tmp/try aos up --log-format pretty"],
    startsDaemon: false,
    load: () => import("./commands/up.ts"),
  },
  {
    usage: "down",
    summary: operationHelp.shutdown.summary,
    description: "Running processes are kept, and continue at the next start.",
    examples: ["aos down"],
    startsDaemon: false,
    load: () => import("./commands/down.ts"),
  },
  {
    usage: "status",
    summary: operationHelp.status.summary,
    examples: ["aos status", "aos status -o json"],
    watches: true,
    names: "daemon.pid",
    startsDaemon: false,
    load: () => import("./commands/status.ts"),
  },
  {
    usage: "run <agent> [input]",
    summary: "Run an agent and print its result.",
    description:
      "AGENT is a name, a manifest file, or a folder with agent.yaml. The result goes to standard output, everything else to standard error; the exit code is the agent's. At a terminal, what the agent asks a person can be answered at once; elsewhere the commands that answer it are printed.",
    options: [
      ...startOptions,
      modelOption,
      noAskOption,
      ["--detach", "print the pid and return, like spawn"],
    ],
    examples: [
      "aos run my-agent 'Good morning'",
      'aos run researcher "who wrote xv6?" --budget usd=0.10',
      "git diff | aos run reviewer --input -",
      'aos run describer "what is on it?" --attach photo.jpg',
    ],
    startsDaemon: true,
    load: () => import("./commands/run.ts"),
  },
  {
    usage: "chat <agent> [message]",
    summary: "Talk with an agent: it stays, and answers one message after another.",
    description:
      "AGENT is as in run. At a terminal the answers are streamed and questions are asked inline; /help lists the commands, and leaving does not end the agent. Elsewhere each line of standard input is a message, and the agent is ended with the last.",
    options: [...chatOptions, modelOption, noAskOption],
    examples: [
      "aos chat assistant",
      "aos chat ./my-agent 'Good morning'",
      "aos chat helper < questions.txt",
    ],
    startsDaemon: true,
    load: () => import("./commands/chat.ts"),
  },
  {
    usage: "attach <pid>",
    summary: "Talk with an agent that stays, or follow another process to its end.",
    options: [noAskOption],
    examples: ["aos attach @last"],
    startsDaemon: true,
    load: () => import("./commands/attach.ts"),
  },
  {
    usage: "pipe <stage...>",
    summary: "Run agents one after the other, each with the value of the one before.",
    description:
      "A STAGE is an agent of `aos agent ls`, or @FILE: a JSON Schema for the value of the stage before. The kernel checks it and refuses a value that does not fit. The result of the last stage goes to standard output; the exit code is that of the first stage that fails.",
    options: [
      ...startOptions,
      noAskOption,
      [
        "--stream",
        "each stage but the first takes the items of the one before while it gives them",
      ],
      ["--no-pipefail", "a stage that fails does not end the pipe: the next gets what it left"],
      ["--detach", "print the pid and return, like spawn"],
    ],
    examples: [
      "aos pipe research summarise --input 'ferries of Lake Constance'",
      "git diff | aos pipe review @review.schema.json report",
    ],
    startsDaemon: true,
    load: () => import("./commands/pipe.ts"),
  },
  {
    usage: "spawn <agent> [input]",
    summary: summaryWith(operationHelp.spawn.summary, "prints its pid"),
    options: [...startOptions, modelOption],
    examples: ["aos spawn my-agent", "pid=$(aos spawn researcher --input @question.txt)"],
    startsDaemon: true,
    load: () => import("./commands/spawn.ts"),
  },
  {
    usage: "ps",
    summary: "List the running processes.",
    options: [
      ["-a, --all", "include ended processes"],
      ["--state <states>", "only these states, e.g. waiting,failed"],
      ["--find <text>", operationHelp.list.args.find],
      ["--since <duration>", "only those that were started since then, e.g. 2h"],
      ["-n, --limit <count>", operationHelp.list.args.limit],
      ["--after <pid>", operationHelp.list.args.before],
      ["-w, --wide", "show lanes, deadlines and parents"],
    ],
    examples: [
      "aos ps",
      "aos ps -a -n 10",
      "aos ps --state failed -o json",
      "aos ps -a -n 10 --after agt_01kx",
    ],
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/ps.ts"),
  },
  {
    usage: "show <pid>",
    summary: operationHelp.show.summary,
    examples: ["aos show @last", "aos show agt_01kx -o json"],
    startsDaemon: true,
    load: () => import("./commands/show.ts"),
  },
  {
    usage: "manifest <pid>",
    summary: operationHelp.manifest.summary,
    description: "As JSON, which an agent.yaml may be written in: the same agent can be run again.",
    examples: ["aos manifest @last > agent.yaml", "aos manifest agt_01kx -o json"],
    startsDaemon: true,
    load: async () => ({
      default: async ({ args, client, out }) => {
        const report = await client.manifest({ pid: args[0] ?? "" });
        await out.data(report, () => JSON.stringify(report.manifest, null, 2));
      },
    }),
  },
  {
    usage: "logs <pid>",
    summary: operationHelp.journal.summary,
    options: [
      ["-f, --follow", "follow until the process ends"],
      ["-n, --tail <count>", "begin with the last so many records"],
      ["--after <seq>", operationHelp.journal.args.after],
    ],
    examples: ["aos logs @last", "aos logs @last -n 20", "aos logs @last -f -o json | jq .call"],
    names: "seq",
    startsDaemon: true,
    load: () => import("./commands/logs.ts"),
  },
  {
    usage: "wait <pid>",
    summary: "Wait until a process ends; the exit code is the process's.",
    options: [
      ["-t, --timeout <duration>", "wait at most this long (e.g. 30s), then exit with code 66"],
    ],
    examples: ["aos wait @last", "aos wait agt_01kx --timeout 30s -o json"],
    startsDaemon: true,
    load: () => import("./commands/wait.ts"),
  },
  {
    usage: "pause <pid>",
    summary: "Pause a process at its next system call (SIGSTOP).",
    examples: ["aos pause @last"],
    startsDaemon: true,
    load: () => import("./commands/pause.ts"),
  },
  {
    usage: "resume <pid>",
    summary: "Resume a paused process (SIGCONT).",
    examples: ["aos resume @last"],
    startsDaemon: true,
    load: () => import("./commands/resume.ts"),
  },
  {
    usage: "stop <pid...>",
    summary: "End processes after their current step (SIGINT).",
    examples: ["aos stop @last", "aos ps -o name | xargs aos stop"],
    startsDaemon: true,
    load: () => import("./commands/stop.ts"),
  },
  {
    usage: "kill <pid...>",
    summary: "End processes, by default with SIGTERM.",
    description: "Name the signal: -KILL, -INT, -s STOP. Signal numbers are not POSIX numbers.",
    options: [["-s, --signal <name>", "the signal to send; -NAME does the same"]],
    examples: ["aos kill @last", "aos kill -KILL agt_01kx agt_01ky"],
    startsDaemon: true,
    load: () => import("./commands/kill.ts"),
  },
  {
    usage: "signal <pid> <name>",
    summary: operationHelp.signal.summary,
    examples: ["aos signal @last USR1", "aos signal agt_01kx SIGINT"],
    startsDaemon: true,
    load: () => import("./commands/signal.ts"),
  },
  {
    usage: "replay <pid>",
    summary: operationHelp.replay.summary,
    options: [["--verify", "only report whether every byte is identical"], estimateOption],
    description:
      "A file that `aos export` wrote, and a run that was imported, are replayed without a daemon.",
    examples: ["aos replay @last --verify", "aos replay run.bundle"],
    startsDaemon: true,
    load: () => import("./commands/replay.ts"),
  },
  {
    usage: "fork <pid>",
    summary: summaryWith(operationHelp.fork.summary, "prints the new pid"),
    options: [["--at <seq>", operationHelp.fork.args.at], estimateOption],
    examples: ["aos fork @last --at 12"],
    startsDaemon: true,
    load: () => import("./commands/fork.ts"),
  },
  {
    usage: "retry <pid>",
    summary: summaryWith(operationHelp.retry.summary, "prints the new pid"),
    options: [
      ["--from <call>", operationHelp.retry.args.from],
      ["--result <json>", operationHelp.retry.args.result],
    ],
    examples: ["aos retry @last", `aos retry agt_01kx --from 7 --result '{"ok": true}'`],
    startsDaemon: true,
    load: () => import("./commands/retry.ts"),
  },
];
