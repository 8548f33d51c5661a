// Rows about power, policy, people and secrets: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";
import { summaryWith } from "./line/summary-with.ts";

const byOption = [
  "--by <name>",
  "the person who decides (default: you); you record it for them",
] as const;

const expiresOption = ["--expires <duration>", "valid for this long, e.g. 1h"] as const;

export const approvalRows: readonly CommandRow[] = [
  {
    usage: "approvals",
    summary: operationHelp.questions.summary,
    description:
      "Identical questions of several processes are one entry with a count. With -o wide, ALWAYS shows what `aos approve --always` would grant.",
    options: [
      ["-n, --limit <count>", operationHelp.questions.args.limit],
      ["--after <id>", operationHelp.questions.args.after],
    ],
    examples: ["aos approvals", "aos approvals -o json", "aos approvals -n 20 --after ask_01kx"],
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/approvals.ts"),
  },
  {
    usage: "approvals show <id>",
    summary: "Show one question in full: the call, its arguments, the rule, and the votes.",
    examples: ["aos approvals show q_01kx", "aos approvals show q_01kx -o json"],
    startsDaemon: true,
    load: () => import("./commands/approvals-show.ts"),
  },
  {
    usage: "approvals cancel <id>",
    summary: operationHelp.cancelQuestion.summary,
    options: [["--text <text>", operationHelp.cancelQuestion.args.text], byOption],
    examples: ["aos approvals cancel q_01kx --text 'asked twice'"],
    startsDaemon: true,
    load: () => import("./commands/approvals-cancel.ts"),
  },
  {
    usage: "approve [id] [choice]",
    summary: "Approve a question, or choose one of its answers.",
    description:
      "Without an ID it shows the open questions one after the other and asks for each answer. Where the rule needs a quorum, this is one vote.",
    options: [
      [
        "--always",
        "also grant the agent the narrowest capability that covers the call; shows it first",
      ],
      ["--yes", "with --always: grant without asking"],
      byOption,
      ["--text <text>", "a comment for the agent"],
    ],
    examples: [
      "aos approve",
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
      ["--text <text>", "the reason; the agent reads it"],
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
    summary: operationHelp.power.summary,
    description:
      "Includes the chain of each capability, its usage and expiry, and the policy layers and label of the process.",
    examples: ["aos caps show @last", "aos caps show researcher -o json"],
    names: "holdings.handle",
    startsDaemon: true,
    load: () => import("./commands/caps-show.ts"),
  },
  {
    usage: "caps grant [pid] [capability...]",
    summary: operationHelp.grant.summary,
    description:
      "Prints the handle that revokes the grant. --agent means the agent that the host finds by this name: one of the home, or a program of the library. A manifest of a folder or of a request that has the name gets nothing: grant it by its PID.",
    options: [
      ["--agent <name>", "to all processes of this agent, instead of a PID"],
      ["--token <token>", "grant what this token carries; - reads it from standard input"],
      expiresOption,
      ["--reason <text>", operationHelp.grant.args.reason],
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
    summary: operationHelp.revoke.summary,
    description: "When it returns, every call that depended on the grant has stopped.",
    examples: ["aos caps revoke cap_01kx", "aos caps revoke agt_01kx.0"],
    names: "revoked",
    startsDaemon: true,
    load: () => import("./commands/caps-revoke.ts"),
  },
  {
    usage: "caps check <pid> <call> [args]",
    summary: operationHelp.check.summary,
    description:
      "ARGS are the arguments of the call, as JSON. The exit code is 0 when allowed and 96 when refused.",
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
    summary: operationHelp.why.summary,
    description: "SEQ is the record's number in `aos logs`; without it, the last refusal.",
    examples: ["aos caps why @last", "aos caps why @last 7 -o json"],
    startsDaemon: true,
    load: () => import("./commands/caps-why.ts"),
  },
  {
    usage: "caps suggest <pid|agent>",
    summary: operationHelp.suggest.summary,
    options: [
      ["--widen <how>", operationHelp.suggest.args.widen],
      ["--write <file>", "write to a new file instead of standard output"],
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
    summary: summaryWith(operationHelp.mintToken.summary, "prints the token"),
    options: [
      expiresOption,
      ["--signed", operationHelp.mintToken.args.signed],
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
    summary: summaryWith(operationHelp.verifyToken.summary, "exit code 96 if not"),
    description: "TOKEN may be @FILE, or - for standard input.",
    examples: ["aos caps verify aos1.eyJ…", "aos caps verify - < token.txt"],
    names: "blocks.id",
    startsDaemon: true,
    load: () => import("./commands/caps-verify.ts"),
  },
  {
    usage: "caps attenuate <token> <capability...>",
    summary: summaryWith(operationHelp.attenuateToken.summary, "prints the new token"),
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
    summary: summaryWith(operationHelp.checkPolicy.summary, "exit code 2 if there is one"),
    description:
      "Takes policy.yaml or security.md files, and checks them against the installed tools and channels.",
    examples: ["aos policy check policy.yaml .agents/security.md"],
    names: "problems.file",
    startsDaemon: true,
    load: () => import("./commands/policy-check.ts"),
  },
  {
    usage: "policy test [file]",
    summary: summaryWith(operationHelp.testPolicy.summary, "exit code 1 when one fails"),
    description:
      "FILE is the policy (default: .agents/policy.yaml of this project, else the home's).",
    examples: ["aos policy test", "aos policy test policy.yaml -o json"],
    names: "cases.name",
    startsDaemon: true,
    load: () => import("./commands/policy-test.ts"),
  },
  {
    usage: "policy show",
    summary: operationHelp.policy.summary,
    options: [["--layer <name>", "only this layer, with its rules as written"]],
    examples: ["aos policy show", "aos policy show --layer kernel"],
    names: "layers.name",
    startsDaemon: true,
    load: () => import("./commands/policy-show.ts"),
  },
  {
    usage: "policy reload",
    summary: operationHelp.reloadPolicy.summary,
    examples: ["aos policy reload"],
    names: "layers.name",
    startsDaemon: true,
    load: () => import("./commands/policy-reload.ts"),
  },
  {
    usage: "policy backtest <file>",
    summary: operationHelp.backtestPolicy.summary,
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
    summary: operationHelp.setSecret.summary,
    description:
      "The value is prompted for, or read from standard input; never from the command line. Repeat the options for more places.",
    options: [
      ["--host <host...>", "for requests to this host (repeatable)"],
      ["--header <name...>", "in this header (repeatable)"],
      ["--prefix <text...>", "put before the value, e.g. 'Bearer ' (repeatable)"],
      ["--tool <name...>", "for runs of this tool (repeatable)"],
      ["--env <variable...>", "in this environment variable (repeatable)"],
      ["--for <service...>", "for the daemon's own use: hook:SCHEDULE (repeatable)"],
      ["--value <text>", "always refused: other users can read a command line"],
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
    summary: operationHelp.secrets.summary,
    examples: ["aos secret ls", "aos secret ls -o json"],
    startsDaemon: true,
    load: () => import("./commands/secret-ls.ts"),
  },
  {
    usage: "secret rm <name>",
    summary: operationHelp.removeSecret.summary,
    examples: ["aos secret rm GITHUB_TOKEN"],
    startsDaemon: true,
    load: () => import("./commands/secret-rm.ts"),
  },
];
