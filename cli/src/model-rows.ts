// Rows about models: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

const keyOption = [
  "--key-stdin",
  "read the key from standard input; it is stored encrypted",
] as const;
const urlOption = [
  "--base-url <url>",
  "the base URL of its server: everything before /chat",
] as const;

export const modelRows: readonly CommandRow[] = [
  {
    usage: "configure",
    summary: "Set up a model provider: store its key and test it once.",
    description:
      "Prompts on a terminal, unless --provider is given. The key goes into the daemon's vault, bound to the provider's address, and into no other file. Known providers: anthropic, openai, google, deepseek, openrouter, ollama; others need --type and --base-url.",
    options: [
      ["--provider <name>", "the provider; disables the prompts"],
      ["--type <type>", "anthropic, openai, openai-chat, google, openai-compatible or ollama"],
      urlOption,
      keyOption,
      ["--model <model>", "the model to test it with"],
      ["--no-test", "do not test it"],
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
    summary: operationHelp.models.summary,
    options: [["--all", "include models without a key"]],
    examples: ["aos model ls", "aos model ls --all -o json"],
    watches: true,
    names: "model",
    startsDaemon: true,
    load: () => import("./commands/model-ls.ts"),
  },
  {
    usage: "model test <model>",
    summary: operationHelp.testModel.summary,
    description:
      "The test is an ordinary process: it is recorded and billed. The exit code is 1 if it fails.",
    options: [["-t, --timeout <duration>", "wait at most this long (default: 60s)"]],
    examples: ["aos model test anthropic/claude-sonnet-4-5", "aos model test lab/qwen3 -o json"],
    names: "model",
    startsDaemon: true,
    load: () => import("./commands/model-test.ts"),
  },
  {
    usage: "model add <name>",
    summary: operationHelp.addProvider.summary,
    options: [["--type <type>", operationHelp.addProvider.args.type], urlOption, keyOption],
    examples: [
      "aos model add lab --type openai-compatible --base-url http://127.0.0.1:8080/v1",
      "aos model add openai --type openai --key-stdin < key.txt",
    ],
    startsDaemon: true,
    load: () => import("./commands/model-add.ts"),
  },
  {
    usage: "top",
    summary: "Watch processes, their cost, and the queues of the models.",
    description:
      "Keys: arrows select, Enter shows, w explains, p pauses or resumes, k ends (after a question), a adds the last ended processes, q quits. Without a terminal, one snapshot is printed.",
    options: [
      ["--once", "print one snapshot and exit"],
      ["--tree", "processes below those that started them, with cost and waiting messages"],
      ["--every <duration>", "the interval (default: 1s)"],
    ],
    examples: ["aos top", "aos top --once", "aos top --tree", "aos top -o json"],
    names: "processes.pid",
    startsDaemon: true,
    load: () => import("./commands/top.ts"),
  },
];
