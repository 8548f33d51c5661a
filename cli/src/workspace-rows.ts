// Rows about workspaces: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const workspaceRows: readonly CommandRow[] = [
  {
    usage: "diff <pid>",
    summary: operationHelp.changes.summary,
    description:
      "Prints a patch against the copied project, or against an empty folder. Changes that a patch cannot express go to standard error.",
    options: [["--names", "one line per file: the kind of change and the sizes"]],
    examples: ["aos diff @last", "aos diff @last --names", "aos diff agt_01kx | git apply --stat"],
    names: "changes.path",
    startsDaemon: true,
    load: () => import("./commands/diff.ts"),
  },
  {
    usage: "undo <pid>",
    summary: "Take back what a run did: by the undo of its tools, then in its workspace.",
    description:
      "What tools did outside is taken back by the undo that they, or the steps of a workflow, declare: the last first, once, in a run of its own. Then the workspace has the state before the run. If files of the project have changed since the commit, the command refuses and lists them.",
    options: [["--force", operationHelp.undo.args.force]],
    examples: ["aos undo @last", "aos undo agt_01kx --force"],
    names: "files",
    startsDaemon: true,
    load: () => import("./commands/undo.ts"),
  },
  {
    usage: "commit <pid>",
    summary: operationHelp.commit.summary,
    description:
      "Refuses if the project has changed meanwhile, or if files that your programs execute or obey would change (git hooks, .agents, editor settings); it lists them all.",
    options: [["--force", operationHelp.commit.args.force]],
    examples: ["aos commit @last", "aos commit agt_01kx --force"],
    names: "files",
    startsDaemon: true,
    load: () => import("./commands/commit.ts"),
  },
];
