// Rows about access tokens: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const tokenRows: readonly CommandRow[] = [
  {
    usage: "token create",
    summary: "Make a token that opens the HTTP API; prints the token, once.",
    description:
      "A viewer sees, an approver answers questions too, an operator does everything. With --tenant it meets only what is that tenant's. Its name is whose word it is when it answers.",
    options: [
      ["--role <role>", "viewer, approver or operator"],
      ["--tenant <name>", "only what is this tenant's; of all tenants unless said"],
      ["--name <name>", "who has it; the token's id unless said"],
      ["--expires <time>", "how long it counts, e.g. 30d; for ever unless said"],
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
    summary: "List the tokens and sessions that open the HTTP API, without the tokens.",
    examples: ["aos token ls", "aos token ls -o json"],
    startsDaemon: true,
    load: () => import("./commands/token-ls.ts"),
  },
  {
    usage: "token revoke <id>",
    summary: "Let a token, and the sessions that it opened, open nothing any more.",
    examples: ["aos token revoke tok_01k9…"],
    startsDaemon: true,
    load: () => import("./commands/token-revoke.ts"),
  },
  {
    usage: "connect [client]",
    summary: "Print the line that connects Claude Code, Cursor, Codex or any OpenAI client.",
    description:
      "CLIENT is claude-code, cursor, openai or codex; all of them unless said. The line reads AOS_TOKEN, or with --token has a new token of an operator in it.",
    options: [
      ["--token", "make a token, and put it into the line"],
      ["--tenant <name>", "the token meets only what is this tenant's"],
      ["--agent <name>", "the agent that is Codex's model"],
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
