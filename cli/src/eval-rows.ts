// Rows about evaluations: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const evalRows: readonly CommandRow[] = [
  {
    usage: "eval [file]",
    summary: operationHelp.startEval.summary,
    description:
      "FILE is a `kind: Eval`. The exit code is 1 when a threshold is not met or --compare finds that it became worse, and 64 when runs were left out for lack of budget. It goes on when this command ends: --resume follows it again, or goes on with one that ended without what is scored.",
    options: [
      [
        "--agents <agents>",
        "these agents instead: names, files or folders, by commas; NAME=PATH names one",
      ],
      ["--models <models>", "run each agent with each of these models, by commas"],
      ["--repeat <count>", "runs of each case"],
      ["--concurrency <count>", "runs at once"],
      ["--budget <budget>", operationHelp.startEval.args.budget],
      ["--fail-under <least...>", "0.9 for all gates, or SCORER=0.9 (repeatable)"],
      ["--compare <pid>", "compare with this evaluation, and fail if it became worse"],
      ["--resume <pid>", "follow an evaluation, or go on with one that ended"],
      ["--tenant <tenant>", "the tenant that it belongs to"],
      ["--markdown <file>", "also write the report as Markdown"],
      ["--junit <file>", "also write the results as JUnit XML"],
      ["--no-wait", "print the pid and do not wait"],
    ],
    examples: [
      "aos eval capitals.eval.yaml",
      "aos eval capitals.eval.yaml --models anthropic/claude-haiku-4-5,openai/gpt-5-mini --budget usd=2",
      "aos eval capitals.eval.yaml --fail-under 0.9 --junit report.xml",
      "aos eval --resume @last",
    ],
    names: "pid",
    startsDaemon: true,
    load: () => import("./commands/eval.ts"),
  },
  {
    usage: "eval ls",
    summary: operationHelp.evals.summary,
    options: [["-n, --limit <count>", operationHelp.evals.args.limit]],
    examples: ["aos eval ls", "aos eval ls -o json"],
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/eval-ls.ts"),
  },
  {
    usage: "eval show <pid>",
    summary: operationHelp.eval.summary,
    options: [["--all", "every run, and not only those that did not pass"]],
    examples: ["aos eval show @last", "aos eval show agt_01kx --all"],
    names: "pid",
    watches: true,
    startsDaemon: true,
    load: () => import("./commands/eval-show.ts"),
  },
  {
    usage: "eval compare <pid> <other>",
    summary: operationHelp.compareEvals.summary,
    options: [["--variants <pair>", operationHelp.compareEvals.args.variants]],
    examples: ["aos eval compare agt_01kx agt_01ky", "aos eval compare agt_01kx @last -o json"],
    names: "second",
    startsDaemon: true,
    load: () => import("./commands/eval-compare.ts"),
  },
  {
    usage: "eval cancel <pid>",
    summary: operationHelp.cancelEval.summary,
    examples: ["aos eval cancel @last"],
    names: "pid",
    startsDaemon: true,
    load: () => import("./commands/eval-cancel.ts"),
  },
  {
    usage: "eval dataset",
    summary: operationHelp.evalDataset.summary,
    description:
      "Writes JSONL: the input of each run, its output as `expected`, and the label of the input. Secrets are not in it; what users wrote is: read it.",
    options: [
      ["--from-runs", "from recorded runs (the only source)"],
      ["--agent <agent>", "only runs of this agent"],
      ["--since <span>", "only runs begun within this time, e.g. 7d"],
      ["--outcome <state>", operationHelp.evalDataset.args.outcome],
      ["-n, --limit <count>", "at most so many runs (default: 200)"],
      ["--out <file>", "the file (default: standard output)"],
      ["--tenant <tenant>", "only runs of this tenant"],
    ],
    examples: [
      "aos eval dataset --from-runs --agent clerk --since 7d --out clerk.jsonl",
      "aos eval dataset --from-runs --outcome completed > cases.jsonl",
    ],
    names: "cases.id",
    startsDaemon: true,
    load: () => import("./commands/eval-dataset.ts"),
  },
];
