// Commands: the rows of the command line. Help comes from the row; the code is loaded when called.

import { approvalRows, capsRows, policyRows, secretRows } from "./authority-rows.ts";
import type { CommandRow } from "./command.ts";
import { configRows } from "./config-rows.ts";
import { contextRows } from "./context-rows.ts";
import { costRows, estimateOption } from "./cost-rows.ts";
import { queueRows } from "./queue-rows.ts";
import { setupRows } from "./setup-rows.ts";
import { storeRows } from "./store-rows.ts";
import { skillRows } from "./skill-rows.ts";
import { labelOption, startOptions } from "./start-options.ts";
import { mcpRows } from "./mcp-rows.ts";
import { memoryRows } from "./memory-rows.ts";
import { modelRows } from "./model-rows.ts";
import { testRows } from "./test-rows.ts";
import { tenantRows } from "./tenant-rows.ts";
import { tokenRows } from "./token-rows.ts";
import { toolRows } from "./tool-rows.ts";
import { trustRows } from "./trust-rows.ts";
import { whyRows } from "./why-rows.ts";
import { workspaceRows } from "./workspace-rows.ts";

/** What stands above commands of two words. */
export const nouns: Readonly<Record<string, string>> = {
  agent: "See the agents that have a name.",
  audit: "Check the audit trail, and see what people did.",
  config: "See and check how the daemon is configured.",
  ctx: "See and shorten what agents show their models.",
  caps: "See, give and take what agents may do.",
  policy: "Check, test and load what the operator rules.",
  mcp: "Declare and look after MCP servers.",
  msg: "Messages between agents.",
  mem: "Search and read what agents have in memory.",
  model: "See, try and add models and who provides them.",
  secret: "Keep secrets that agents use by name.",
  skill: "See and check skills.",
  tenant: "Make tenants, see what they spent, and say the most that they may hold.",
  token: "Say who may call over the network.",
  tool: "See, find and call tools.",
};

/** What the first page of the help ends with. */
export const firstExamples: readonly string[] = [
  "aos run examples/hello 'Good morning'",
  "aos ps -a",
  "aos init hello my-agent",
  "aos help run",
];

export const commands: readonly CommandRow[] = [
  {
    usage: "up",
    summary: "Start the daemon.",
    description: "In the foreground, unless told otherwise; its log goes to standard error.",
    options: [
      ["-d, --detach", "return when it is ready; the log goes to $AOS_HOME/daemon.log"],
      ["--http <address>", "where it listens: HOST:PORT, or off"],
      ["--log-level <level>", "trace, debug, info, warn or error"],
      ["--log-format <format>", "json, pretty, or auto: pretty where a person reads it"],
    ],
    examples: ["aos up -d", "AOS_HOME=/tmp/try aos up --log-format pretty"],
    startsDaemon: false,
    load: () => import("./commands/up.ts"),
  },
  {
    usage: "down",
    summary: "Stop the daemon.",
    description: "What runs is kept and goes on at the next start.",
    examples: ["aos down"],
    startsDaemon: false,
    load: () => import("./commands/down.ts"),
  },
  {
    usage: "status",
    summary: "Say whether the daemon is up, and how it is.",
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
      "AGENT is a name, a manifest file, or a folder with agent.yaml. The result goes to standard output, everything else to standard error; the exit code is the agent's.",
    options: [...startOptions, ["--detach", "print the pid and leave it running, like spawn"]],
    examples: [
      "aos run examples/hello 'Good morning'",
      'aos run researcher "who wrote xv6?" --budget usd=0.10',
      "git diff | aos run reviewer --input -",
      'aos run describer "what is on it?" --attach photo.jpg',
    ],
    startsDaemon: true,
    load: () => import("./commands/run.ts"),
  },
  {
    usage: "spawn <agent> [input]",
    summary: "Start an agent and print its pid.",
    options: startOptions,
    examples: ["aos spawn examples/hello", "pid=$(aos spawn researcher --input @question.txt)"],
    startsDaemon: true,
    load: () => import("./commands/spawn.ts"),
  },
  {
    usage: "ps",
    summary: "List the processes that live.",
    options: [
      ["-a, --all", "those that have ended, too"],
      ["--state <states>", "only these, e.g. waiting,failed"],
      ["-n, --limit <count>", "at most so many, newest first; 1000 unless said, 10000 at once"],
      ["--after <pid>", "the next page: those that are listed after this one"],
      ["-w, --wide", "with lanes, deadlines and parents"],
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
    summary: "Show one process in full.",
    examples: ["aos show @last", "aos show agt_01kx -o json"],
    startsDaemon: true,
    load: () => import("./commands/show.ts"),
  },
  {
    usage: "logs <pid>",
    summary: "Print its journal, one record a line.",
    options: [
      ["-f, --follow", "go on until it ends"],
      ["--after <seq>", "only the records after this one"],
    ],
    examples: ["aos logs @last", "aos logs @last -f -o json | jq .call"],
    names: "seq",
    startsDaemon: true,
    load: () => import("./commands/logs.ts"),
  },
  {
    usage: "wait <pid>",
    summary: "Wait for its end; the exit code is the process's.",
    options: [["-t, --timeout <duration>", "at most so long (e.g. 30s), then exit code 66"]],
    examples: ["aos wait @last", "aos wait agt_01kx --timeout 30s -o json"],
    startsDaemon: true,
    load: () => import("./commands/wait.ts"),
  },
  {
    usage: "pause <pid>",
    summary: "Stop it at its next system call (SIGSTOP).",
    examples: ["aos pause @last"],
    startsDaemon: true,
    load: () => import("./commands/pause.ts"),
  },
  {
    usage: "resume <pid>",
    summary: "Let it go on (SIGCONT).",
    examples: ["aos resume @last"],
    startsDaemon: true,
    load: () => import("./commands/resume.ts"),
  },
  {
    usage: "stop <pid...>",
    summary: "Let processes finish their step, and end them then (SIGINT).",
    examples: ["aos stop @last", "aos ps -o name | xargs aos stop"],
    startsDaemon: true,
    load: () => import("./commands/stop.ts"),
  },
  {
    usage: "kill <pid...>",
    summary: "End processes, with SIGTERM unless told otherwise.",
    description: "Signals go by name: -KILL, -INT, -s STOP. Their numbers are not POSIX numbers.",
    options: [["-s, --signal <name>", "the signal to send; -NAME does the same"]],
    examples: ["aos kill @last", "aos kill -KILL agt_01kx agt_01ky"],
    startsDaemon: true,
    load: () => import("./commands/kill.ts"),
  },
  {
    usage: "signal <pid> <name>",
    summary: "Send a signal by name.",
    examples: ["aos signal @last USR1", "aos signal agt_01kx SIGINT"],
    startsDaemon: true,
    load: () => import("./commands/signal.ts"),
  },
  {
    usage: "send <pid> <text>",
    summary: "Put a message into its mailbox; prints the message's id.",
    description: "TEXT may be @FILE, or - for standard input.",
    options: [["--json", "the text is JSON"], ["--type <name>", "the message's type"], labelOption],
    examples: ["aos send @last 'go on'", `aos send @last '{"n": 1}' --json --type order`],
    startsDaemon: true,
    load: () => import("./commands/send.ts"),
  },
  {
    usage: "replay <pid>",
    summary: "Run it again from its journal, with no tools and no model.",
    options: [["--verify", "say only whether every byte is the same"], estimateOption],
    examples: ["aos replay @last --verify"],
    startsDaemon: true,
    load: () => import("./commands/replay.ts"),
  },
  {
    usage: "fork <pid>",
    summary: "Start a new process that shares its history; prints the new pid.",
    options: [
      ["--at <seq>", "up to and with this record (default: all before the end)"],
      estimateOption,
    ],
    examples: ["aos fork @last --at 12"],
    startsDaemon: true,
    load: () => import("./commands/fork.ts"),
  },
  {
    usage: "retry <pid>",
    summary: "Start a new process that makes a call of its again; prints the new pid.",
    options: [
      ["--from <call>", "the number of the call (default: the last that failed)"],
      ["--result <json>", "do not make it; take this for its result"],
    ],
    examples: ["aos retry @last", `aos retry agt_01kx --from 7 --result '{"ok": true}'`],
    startsDaemon: true,
    load: () => import("./commands/retry.ts"),
  },
  ...whyRows,
  ...setupRows,
  ...configRows,
  ...queueRows,
  ...costRows,
  ...approvalRows,
  ...capsRows,
  ...policyRows,
  ...secretRows,
  ...tokenRows,
  ...trustRows,
  ...skillRows,
  ...modelRows,
  ...toolRows,
  ...testRows,
  ...contextRows,
  ...memoryRows,
  ...tenantRows,
  ...mcpRows,
  ...workspaceRows,
  {
    usage: "audit verify",
    summary: "Read every record and find what was changed, cut or lost.",
    examples: ["aos audit verify", "aos audit verify -o json"],
    names: "findings.pid",
    startsDaemon: true,
    load: () => import("./commands/audit-verify.ts"),
  },
  {
    usage: "audit ledger",
    summary: "List what people did that is no record of a process, newest last.",
    description: "Answers, grants, revocations, policies that were loaded or refused, secrets.",
    options: [["-n, --limit <count>", "only the last so many (default: 1000)"]],
    examples: ["aos audit ledger", "aos audit ledger -n 20 -o json"],
    names: "at",
    startsDaemon: true,
    load: () => import("./commands/audit-ledger.ts"),
  },
  {
    usage: "doctor",
    summary: "Look whether the daemon, its home and its policy are as they should be.",
    description: "The exit code is 1 when something is not, or when an attack got through.",
    options: [
      ["--attack", "attack the live configuration, and say what got through"],
      ["--only <names>", "with --attack: only these groups and attacks, e.g. F,H3"],
      ["--verbose", "with --attack: a line for each that was stopped, too"],
    ],
    examples: ["aos doctor", "aos doctor -o json", "aos doctor --attack --only F,H3 --verbose"],
    names: "checks.name",
    startsDaemon: true,
    load: () => import("./commands/doctor.ts"),
  },
  ...storeRows,
  {
    usage: "gc",
    summary: "Compact finished runs that are beyond their retention.",
    options: [["--dry-run", "only say what would be done"]],
    examples: ["aos gc --dry-run"],
    startsDaemon: true,
    load: () => import("./commands/gc.ts"),
  },
  {
    usage: "version",
    summary: "Print the version.",
    examples: ["aos version", "aos version -o json"],
    names: "version",
    startsDaemon: false,
    load: () => import("./commands/version.ts"),
  },
];
