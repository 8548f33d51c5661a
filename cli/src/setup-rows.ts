// Rows about setup: new agents and shell completion. A part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const setupRows: readonly CommandRow[] = [
  {
    usage: "init [template] [folder]",
    summary: "Create the files of a new agent: manifest, script or program, tests, README.",
    description:
      "TEMPLATE is hello (default), approval, python, typescript, tools, mcp or team. FOLDER defaults to the name of the template. Existing files are not overwritten. No template needs an API key; --model names a real model in place of the script.",
    options: [
      ["--name <name>", "the name of the agent (default: the name of the folder)"],
      ["--model <model>", "the model that the agent asks, e.g. anthropic/claude-sonnet-4-5"],
    ],
    examples: [
      "aos init",
      "aos init approval clerk",
      "aos init python . --name counter",
      "aos init team writers --model openai/gpt-5-mini",
    ],
    names: "files",
    startsDaemon: false,
    load: () => import("./commands/init.ts"),
  },
  {
    usage: "completion <shell>",
    summary: "Print the completion script of a shell.",
    description:
      "SHELL is bash, zsh or fish. Add the line to ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish. It completes commands, options, pids, agents, tools and more.",
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
