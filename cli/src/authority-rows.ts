// Rows about power, policy, people and secrets: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

const byOption = [
  "--by <name>",
  "whose word it is (default: yours); you bring it for them",
] as const;

const expiresOption = ["--expires <duration>", "good for so long, e.g. 1h"] as const;

export const approvalRows: readonly CommandRow[] = [
  {
    usage: "approvals",
    summary: "List what waits for a person.",
    description:
      "Identical asks of several processes are one entry with their count. ALWAYS says what `aos approve --always` would give.",
    options: [
      ["-n, --limit <count>", "at most so many; 100 unless said, 1000 at once"],
      ["--after <id>", "the next page: those that are listed after this one"],
    ],
    examples: ["aos approvals", "aos approvals -o json", "aos approvals -n 20 --after ask_01kx"],
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/approvals.ts"),
  },
  {
    usage: "approvals show <id>",
    summary: "Show one of them in full: the call, its arguments, the rule, who has said what.",
    examples: ["aos approvals show q_01kx", "aos approvals show q_01kx -o json"],
    startsDaemon: true,
    load: () => import("./commands/approvals-show.ts"),
  },
  {
    usage: "approvals cancel <id>",
    summary: "Withdraw a question: whoever waits for it is refused.",
    options: [["--text <text>", "why; the agent reads it"], byOption],
    examples: ["aos approvals cancel q_01kx --text 'asked twice'"],
    startsDaemon: true,
    load: () => import("./commands/approvals-cancel.ts"),
  },
  {
    usage: "approve <id> [choice]",
    summary: "Say yes, or choose one of the answers.",
    description: "Where a quorum is needed, this is one vote of it.",
    options: [
      ["--always", "give the agent the narrowest capability that covers it; shown first"],
      ["--yes", "with --always: do not ask whether to give what is shown"],
      byOption,
      ["--text <text>", "words to go with it"],
    ],
    examples: [
      "aos approve q_01kx",
      "aos approve q_01kx retry",
      "aos approve q_01kx --always --yes",
      "aos approve q_01kx --by alice --text 'on the phone'",
    ],
    startsDaemon: true,
    load: () => import("./commands/approve.ts"),
  },
  {
    usage: "deny <id>",
    summary: "Say no.",
    options: [
      ["--text <text>", "why; the agent reads it"],
      ["--reason <text>", "the same"],
      byOption,
    ],
    examples: ["aos deny q_01kx --text 'not on a Friday'"],
    startsDaemon: true,
    load: () => import("./commands/deny.ts"),
  },
];

export const capsRows: readonly CommandRow[] = [
  {
    usage: "caps show <pid|agent>",
    summary: "Show what a process holds, or what every process of an agent is given.",
    description:
      "With the chain of each holding, what was used of it, when it ends, and the policy layers and label of the process.",
    examples: ["aos caps show @last", "aos caps show researcher -o json"],
    names: "holdings.handle",
    startsDaemon: true,
    load: () => import("./commands/caps-show.ts"),
  },
  {
    usage: "caps grant [pid] [capability...]",
    summary: "Give power to a process, or to every process of an agent from now on.",
    description: "Prints the handle to revoke it by.",
    options: [
      ["--agent <name>", "to all processes of this agent, instead of a PID"],
      ["--token <token>", "what this token has, instead of capabilities; - for standard input"],
      expiresOption,
      ["--reason <text>", "why; it is recorded"],
    ],
    examples: [
      "aos caps grant @last file:/work/**:read --expires 1h",
      "aos caps grant --agent researcher 'http:api.example.com/**:get{rate:10/min}'",
      "aos caps grant @last --token - < token.txt",
    ],
    names: "handle",
    startsDaemon: true,
    load: () => import("./commands/caps-grant.ts"),
  },
  {
    usage: "caps revoke <id>",
    summary: "Take power back, by the handle, the block or the token's id.",
    description: "When it returns, nothing that stood on it runs any more.",
    examples: ["aos caps revoke cap_01kx", "aos caps revoke agt_01kx.0"],
    names: "revoked",
    startsDaemon: true,
    load: () => import("./commands/caps-revoke.ts"),
  },
  {
    usage: "caps check <pid> <call> [args]",
    summary: "Ask what the gate would say to a call; nothing is done.",
    description:
      "ARGS are the call's, as JSON. The exit code is 0 when allowed and 96 when refused.",
    examples: [
      `aos caps check @last exec '{"tool": "echo", "args": {"text": "x"}}'`,
      `aos caps check @last read '{"path": "/mem/working/notes"}' -o json`,
    ],
    names: "code",
    startsDaemon: true,
    load: () => import("./commands/caps-check.ts"),
  },
  {
    usage: "caps why <pid> [seq]",
    summary: "Say why a recorded call was allowed or refused.",
    description: "SEQ is the record's number in `aos logs`; without it, the last refusal.",
    examples: ["aos caps why @last", "aos caps why @last 7 -o json"],
    startsDaemon: true,
    load: () => import("./commands/caps-why.ts"),
  },
  {
    usage: "caps suggest <pid|agent>",
    summary: "Write the smallest manifest that would have allowed what was really used.",
    options: [
      ["--widen <how>", "folder: whole folders instead of single files"],
      ["--write <file>", "into a new file, instead of standard output"],
    ],
    examples: [
      "aos caps suggest @last",
      "aos caps suggest researcher --widen folder --write researcher.yaml",
    ],
    names: "capabilities",
    startsDaemon: true,
    load: () => import("./commands/caps-suggest.ts"),
  },
  {
    usage: "caps mint <capability...>",
    summary: "Make a token for power that travels; prints the token.",
    options: [
      expiresOption,
      ["--signed", "for whoever has our public key, not for this daemon only"],
      ["--holder <name>", "only this process or agent may use it"],
    ],
    examples: [
      "aos caps mint file:/work/**:read --expires 1h",
      "aos caps mint tool:echo:call --signed",
    ],
    names: "ids",
    startsDaemon: true,
    load: () => import("./commands/caps-mint.ts"),
  },
  {
    usage: "caps verify <token>",
    summary: "Say what a token has and whether it counts; exit code 96 when it does not.",
    description: "TOKEN may be @FILE, or - for standard input.",
    examples: ["aos caps verify aos1.eyJ…", "aos caps verify - < token.txt"],
    names: "blocks.id",
    startsDaemon: true,
    load: () => import("./commands/caps-verify.ts"),
  },
  {
    usage: "caps attenuate <token> <capability...>",
    summary: "Print the token with one more block, which can only take away.",
    description: "TOKEN may be @FILE, or - for standard input. Nothing is stored.",
    options: [expiresOption, ["--holder <name>", "only this process or agent may use it"]],
    examples: ["aos caps attenuate - file:/work/notes/**:read --expires 10m < token.txt"],
    names: "token",
    startsDaemon: true,
    load: () => import("./commands/caps-attenuate.ts"),
  },
];

export const policyRows: readonly CommandRow[] = [
  {
    usage: "policy check <file...>",
    summary: "Find everything that is wrong with policy files; exit code 2 when something is.",
    description: "A policy.yaml or a security.md, against the tools and channels that are there.",
    examples: ["aos policy check policy.yaml .agents/security.md"],
    names: "problems.file",
    startsDaemon: true,
    load: () => import("./commands/policy-check.ts"),
  },
  {
    usage: "policy test [file]",
    summary: "Run the tests beside a policy (policy.test.yaml); exit code 1 when one fails.",
    description: "FILE is the policy: .agents/policy.yaml here, or the home's, unless given.",
    examples: ["aos policy test", "aos policy test policy.yaml -o json"],
    names: "cases.name",
    startsDaemon: true,
    load: () => import("./commands/policy-test.ts"),
  },
  {
    usage: "policy show",
    summary: "Show the policy in force, layer by layer.",
    options: [["--layer <name>", "only this one, with its rules as they were written"]],
    examples: ["aos policy show", "aos policy show --layer kernel"],
    names: "layers.name",
    startsDaemon: true,
    load: () => import("./commands/policy-show.ts"),
  },
  {
    usage: "policy reload",
    summary: "Read the policy files again: all of them, or none when one is bad.",
    examples: ["aos policy reload"],
    names: "layers.name",
    startsDaemon: true,
    load: () => import("./commands/policy-reload.ts"),
  },
  {
    usage: "policy backtest <file>",
    summary: "Say what this policy would have changed in what is recorded.",
    options: [["--since <duration>", "how far back (default: 30d)"]],
    examples: ["aos policy backtest policy.yaml --since 7d"],
    names: "changes.pid",
    startsDaemon: true,
    load: () => import("./commands/policy-backtest.ts"),
  },
];

export const secretRows: readonly CommandRow[] = [
  {
    usage: "secret set <name>",
    summary: "Seal a secret, and bind it to the places where it may be put.",
    description:
      "The value is asked for, or read from standard input; never from the command line. Repeat the options for more places.",
    options: [
      ["--host <host>", "for requests to this host (repeatable)"],
      ["--header <name>", "in this header (repeatable)"],
      ["--prefix <text>", "put before the value, e.g. 'Bearer ' (repeatable)"],
      ["--tool <name>", "for runs of this tool (repeatable)"],
      ["--env <variable>", "in this variable of its environment (repeatable)"],
      ["--value <text>", "refused: others can see a command line"],
    ],
    examples: [
      "aos secret set GITHUB_TOKEN --host api.github.com --header authorization --prefix 'Bearer '",
      "pass show db | aos secret set DB_PASSWORD --tool psql --env PGPASSWORD",
    ],
    startsDaemon: true,
    load: () => import("./commands/secret-set.ts"),
  },
  {
    usage: "secret ls",
    summary: "List the names of secrets and where each may be put; never a value.",
    examples: ["aos secret ls", "aos secret ls -o json"],
    startsDaemon: true,
    load: () => import("./commands/secret-ls.ts"),
  },
  {
    usage: "secret rm <name>",
    summary: "Forget a secret.",
    examples: ["aos secret rm GITHUB_TOKEN"],
    startsDaemon: true,
    load: () => import("./commands/secret-rm.ts"),
  },
];
