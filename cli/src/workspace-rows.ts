// Rows about workspaces: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const workspaceRows: readonly CommandRow[] = [
  {
    usage: "diff <pid>",
    summary: "Show what a process and its children changed in their workspace.",
    description:
      "As a patch, against the project that the workspace is a copy of, or against nothing. What the patch cannot say goes to standard error.",
    options: [["--names", "only a line for each file: what became of it, and its sizes"]],
    examples: ["aos diff @last", "aos diff @last --names", "aos diff agt_01kx | git apply --stat"],
    names: "changes.path",
    startsDaemon: true,
    load: () => import("./commands/diff.ts"),
  },
  {
    usage: "undo <pid>",
    summary: "Take back what was changed in the workspace, and what was committed from it.",
    description:
      "As if it had never run. Files of the project that have changed since the commit are not touched: it is refused, and they are named.",
    options: [["--force", "put the old files in the place of those, too"]],
    examples: ["aos undo @last", "aos undo agt_01kx --force"],
    names: "files",
    startsDaemon: true,
    load: () => import("./commands/undo.ts"),
  },
  {
    usage: "commit <pid>",
    summary: "Let what was changed in a copy through to the project; all of it, or nothing.",
    description:
      "Refused where the project has changed meanwhile, and for files that programs of yours obey (git hooks, .agents, settings of editors); all of them are named.",
    options: [["--force", "commit these, too; never what the policy forbids"]],
    examples: ["aos commit @last", "aos commit agt_01kx --force"],
    names: "files",
    startsDaemon: true,
    load: () => import("./commands/commit.ts"),
  },
];
