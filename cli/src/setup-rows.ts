// Rows about beginning: a new agent, and a shell that completes. A part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const setupRows: readonly CommandRow[] = [
  {
    usage: "init [template] [folder]",
    summary: "Write the files of a new agent: manifest, script or program, tests, README.",
    description:
      "TEMPLATE is hello (unless said), approval, python or tools; FOLDER is called like the template unless said. Nothing that is there is written over. None of them needs a key.",
    options: [["--name <name>", "what the agent is called; the folder's name unless said"]],
    examples: ["aos init", "aos init approval clerk", "aos init python . --name counter"],
    names: "files",
    startsDaemon: false,
    load: () => import("./commands/init.ts"),
  },
  {
    usage: "completion <shell>",
    summary: "Print what makes a shell complete commands, options, pids, agents, tools and more.",
    description:
      "SHELL is bash, zsh or fish. Put the line into ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish.",
    examples: [
      "source <(aos completion bash)",
      "source <(aos completion zsh)",
      "aos completion fish | source",
    ],
    names: "shell",
    startsDaemon: false,
    load: () => import("./commands/completion.ts"),
  },
];
