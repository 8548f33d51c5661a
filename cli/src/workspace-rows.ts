// Rows about workspaces: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const workspaceRows: readonly CommandRow[] = [
  {
    usage: "diff <pid>",
    summary: "Show what a process and its children changed in their workspace.",
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
    summary: "Revert the changes in the workspace, and those committed from it.",
    description:
      "Restores the state before the run. If files of the project have changed since the commit, the command refuses and lists them.",
    options: [["--force", "revert those files, too"]],
    examples: ["aos undo @last", "aos undo agt_01kx --force"],
    names: "files",
    startsDaemon: true,
    load: () => import("./commands/undo.ts"),
  },
  {
    usage: "commit <pid>",
    summary: "Commit the changes of a copy to the project, all or nothing.",
    description:
      "Refuses if the project has changed meanwhile, or if files that your programs execute or obey would change (git hooks, .agents, editor settings); it lists them all.",
    options: [["--force", "commit those files, too; never what the policy forbids"]],
    examples: ["aos commit @last", "aos commit agt_01kx --force"],
    names: "files",
    startsDaemon: true,
    load: () => import("./commands/commit.ts"),
  },
];
