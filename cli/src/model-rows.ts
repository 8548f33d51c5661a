// Rows about models: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

const keyOption = [
  "--key-stdin",
  "read the key from standard input; it is sealed at once",
] as const;
const urlOption = ["--base-url <url>", "where its server is, with the path before /chat"] as const;

export const modelRows: readonly CommandRow[] = [
  {
    usage: "configure",
    summary: "Set up a provider of models: its key is sealed and tried once.",
    description:
      "Asks at a terminal. With --provider nothing is asked. The key goes into the daemon's vault, bound to the provider's address, and is in no file. Providers known by name: anthropic, openai, google, deepseek, openrouter, ollama; others need --type and --base-url.",
    options: [
      ["--provider <name>", "which one; nothing is asked then"],
      ["--type <type>", "anthropic, openai, openai-chat, google, openai-compatible or ollama"],
      urlOption,
      keyOption,
      ["--model <model>", "the model to try it with"],
      ["--no-test", "do not try it"],
    ],
    examples: [
      "aos configure",
      "aos configure --provider anthropic --key-stdin < key.txt",
      "aos configure --provider lab --type openai-compatible --base-url http://127.0.0.1:8080/v1 --model qwen3",
    ],
    startsDaemon: true,
    load: () => import("./commands/configure.ts"),
  },
  {
    usage: "model ls",
    summary: "List the models that can be used, what they cost and how they do.",
    options: [["--all", "also those whose key is not there"]],
    examples: ["aos model ls", "aos model ls --all -o json"],
    watches: true,
    names: "model",
    startsDaemon: true,
    load: () => import("./commands/model-ls.ts"),
  },
  {
    usage: "model test <model>",
    summary: "Ask a model one word, through the gate, and say how it went.",
    description:
      "It is a process like any other: recorded, and billed. The exit code is 1 when it fails.",
    options: [["-t, --timeout <duration>", "at most so long (default: 60s)"]],
    examples: ["aos model test anthropic/claude-sonnet-4-5", "aos model test lab/qwen3 -o json"],
    names: "model",
    startsDaemon: true,
    load: () => import("./commands/model-test.ts"),
  },
  {
    usage: "model add <name>",
    summary: "Write a provider to config.yaml; it can be used at once.",
    options: [
      ["--type <type>", "anthropic, openai, openai-chat, google, openai-compatible or ollama"],
      urlOption,
      keyOption,
    ],
    examples: [
      "aos model add lab --type openai-compatible --base-url http://127.0.0.1:8080/v1",
      "aos model add openai --type openai --key-stdin < key.txt",
    ],
    startsDaemon: true,
    load: () => import("./commands/model-add.ts"),
  },
  {
    usage: "top",
    summary: "Watch processes, what they cost, and who waits for which model.",
    description:
      "Arrows choose, Enter shows, w says why, p pauses or lets go on, k ends (it asks), a lists the last that ended too, q leaves. Where there is no terminal one picture is printed.",
    options: [
      ["--once", "print one picture and end"],
      ["--every <duration>", "how often it looks (default: 1s)"],
    ],
    examples: ["aos top", "aos top --once", "aos top -o json"],
    names: "processes.pid",
    startsDaemon: true,
    load: () => import("./commands/top.ts"),
  },
];
