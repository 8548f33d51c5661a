// Rows about access tokens: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";
import { summaryWith } from "./line/summary-with.ts";

export const tokenRows: readonly CommandRow[] = [
  {
    usage: "token create",
    summary: summaryWith(operationHelp.createAccessToken.summary, "prints the token once"),
    description:
      "A viewer reads, an approver also answers questions, an operator does everything. --tenant limits the token to one tenant. Answers are recorded under the token's name.",
    options: [
      ["--role <role>", operationHelp.createAccessToken.args.role],
      ["--tenant <name>", operationHelp.createAccessToken.args.tenant],
      ["--name <name>", operationHelp.createAccessToken.args.name],
      ["--expires <time>", "how long it is valid, e.g. 30d (default: no limit)"],
    ],
    examples: [
      "aos token create --role viewer --name grafana --expires 30d",
      "aos token create --role approver --name alice --tenant research",
    ],
    startsDaemon: true,
    load: () => import("./commands/token-create.ts"),
  },
  {
    usage: "token ls",
    summary: operationHelp.accessTokens.summary,
    examples: ["aos token ls", "aos token ls -o json"],
    startsDaemon: true,
    load: () => import("./commands/token-ls.ts"),
  },
  {
    usage: "token revoke <id>",
    summary: operationHelp.revokeAccessToken.summary,
    examples: ["aos token revoke tok_01k9…"],
    startsDaemon: true,
    load: () => import("./commands/token-revoke.ts"),
  },
  {
    usage: "connect [client]",
    summary: "Print how to connect Claude Code, Cursor, Codex or an OpenAI client.",
    description:
      "CLIENT is claude-code, cursor, openai or codex (default: all). The printed line reads AOS_TOKEN; with --token it contains a new operator token.",
    options: [
      ["--token", "create a token, and put it into the line"],
      ["--tenant <name>", operationHelp.createAccessToken.args.tenant],
      ["--agent <name>", "the agent that Codex uses as its model"],
    ],
    examples: [
      "aos connect",
      "aos connect claude-code --token",
      'eval "$(aos connect openai --token)"',
      "aos connect codex --agent coder",
    ],
    names: "client",
    startsDaemon: true,
    load: () => import("./commands/connect.ts"),
  },
];
