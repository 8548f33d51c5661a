// Rows about contexts: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

const at = ["--at <seq>", "the state at this record (default: the last)"] as const;

const tenant = ["--tenant <name>", "of this tenant"] as const;

export const contextRows: readonly CommandRow[] = [
  {
    usage: "ctx ingest <path...>",
    summary: "Read folders and files into a collection that agents search.",
    description:
      "Reads text, Markdown, HTML, PDF, source code, mail (mbox, .eml) and chat logs, here, and sends what is in them. A collection is the folder /mem/shared/NAME; an agent reaches it with the capability `memory:/mem/shared/NAME/**:read,search`. Run it again to bring the collection up to date: what changed is sent, and what is gone is forgotten. Left out are what .gitignore and .aosignore name, symbolic links, binary, large and secret-like files; -o wide lists them.",
    options: [
      ["--name <name>", "the collection (default: the name of the folder)"],
      ["--trusted", "agents that read it stay trusted (default: untrusted)"],
      ["--max-size <mb>", "leave out text files above this size (default: 2)"],
      ["--dry-run", "say what would be done"],
      tenant,
    ],
    examples: [
      "aos ctx ingest docs",
      "aos ctx ingest . --name app --dry-run",
      "aos ctx ingest ~/mail/inbox.mbox --name mail",
    ],
    names: "collections.name",
    startsDaemon: true,
    load: () => import("./commands/ctx-ingest.ts"),
  },
  {
    usage: "ctx ask <question>",
    summary: operationHelp.askContext.summary,
    description:
      "Searches what was ingested, and other shared memory where no collection is named. Without a model it prints the passages, the best first, each with its file, line and commit, and what was left out and why. With --model, the model answers from these passages and cites them.",
    options: [
      ["--in <name...>", "only in this collection (repeatable)"],
      ["--tokens <count>", operationHelp.askContext.args.tokens],
      ["--model <name>", operationHelp.askContext.args.model],
      ["--rerank <model>", operationHelp.askContext.args.rerank],
      ["--usd <amount>", operationHelp.askContext.args.usd],
      tenant,
    ],
    examples: [
      "aos ctx ask 'which port does the gateway use'",
      "aos ctx ask 'how do I rotate a key' --in docs --tokens 1500",
      "aos ctx ask 'who decided on the port' --model anthropic/claude-sonnet-4-5",
    ],
    names: "passages.path",
    startsDaemon: true,
    load: () => import("./commands/ctx-ask.ts"),
  },
  {
    usage: "ctx ls [name]",
    summary: "List the collections, or the files of one.",
    options: [tenant],
    examples: ["aos ctx ls", "aos ctx ls docs -o wide"],
    watches: true,
    names: "name",
    startsDaemon: true,
    load: () => import("./commands/ctx-ls.ts"),
  },
  {
    usage: "ctx rm <name> [path]",
    summary: "Forget a collection, or the files below a path of it.",
    description:
      "Removes what was ingested. Files that agents wrote into the same folder stay; `aos fs rm` removes those.",
    options: [tenant],
    examples: ["aos ctx rm docs", "aos ctx rm app src/old"],
    startsDaemon: true,
    load: () => import("./commands/ctx-rm.ts"),
  },
  {
    usage: "ctx show <pid>",
    summary: operationHelp.context.summary,
    description:
      "The context is that of the last model request before a record. A fork at that record starts with it.",
    options: [at],
    examples: ["aos ctx show @last", "aos ctx show @last --at 40 -o json"],
    names: "blocks.id",
    startsDaemon: true,
    load: () => import("./commands/ctx-show.ts"),
  },
  {
    usage: "ctx export <pid>",
    summary: operationHelp.exportContext.summary,
    options: [at],
    examples: ["aos ctx export @last > messages.json"],
    startsDaemon: true,
    load: () => import("./commands/ctx-export.ts"),
  },
  {
    usage: "ctx compact <pid>",
    summary: operationHelp.compactContext.summary,
    description:
      "Sends SIGCTX; the agent compacts after its next answer. The removed messages stay in /ctx/archive.",
    examples: ["aos ctx compact @last"],
    startsDaemon: true,
    load: () => import("./commands/ctx-compact.ts"),
  },
];
