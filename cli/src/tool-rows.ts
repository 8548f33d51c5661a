// Rows about tools, MCP servers, skills and workspaces: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const toolRows: readonly CommandRow[] = [
  {
    usage: "tool ls [words...]",
    summary: operationHelp.tools.summary,
    description:
      "Lists the tools of the system, of this project (.agents/tools, .agents/mcp.yaml) and of MCP servers. Words match names, tags and the meaning of descriptions; the best match comes first.",
    examples: ["aos tool ls", "aos tool ls 'convert a document'", "aos tool ls -o json"],
    startsDaemon: true,
    load: () => import("./commands/tool-ls.ts"),
  },
  {
    usage: "tool show <name>",
    summary: operationHelp.tool.summary,
    examples: ["aos tool show file.edit", "aos tool show shell.execute -o json"],
    startsDaemon: true,
    load: () => import("./commands/tool-show.ts"),
  },
  {
    usage: "tool call <name> [args]",
    summary: operationHelp.callTool.summary,
    description:
      "ARGS is JSON, @FILE, or - for standard input. The call runs as its own process with only the capabilities that it needs, under the policy.",
    options: [
      ["--dir <folder>", "the folder to mount as /work; without it the workspace is empty"],
      ["--cow", "work on a copy of that folder (or of the current one)"],
      [
        "-c, --cap <capability...>",
        "grant exactly this, instead of what the call touches (repeatable)",
      ],
      ["-t, --timeout <duration>", "wait at most this long, e.g. 30s"],
    ],
    examples: [
      `aos tool call file.read '{"path": "/work/README.md"}' --dir .`,
      `aos tool call shell.execute '{"command": "ls -l"}' --dir . -c 'file:/work/**:read'`,
    ],
    startsDaemon: true,
    load: () => import("./commands/tool-call.ts"),
  },
];
