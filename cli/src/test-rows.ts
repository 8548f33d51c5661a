// Rows about tests of agents: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const testRows: readonly CommandRow[] = [
  {
    usage: "test [paths...]",
    summary: "Run tests of agents, with a scripted model and fake tools.",
    description:
      "PATHS are files, or folders that are searched for NAME.test.yaml (default: .agents/tests of this project). The exit code is 1 when a test fails.",
    options: [
      ["--only <words>", "only tests whose file or name contains these words"],
      ["--junit <file>", "also write the results as JUnit XML"],
    ],
    examples: [
      "aos test",
      "aos test examples/approval --only stranger",
      "aos test --junit report.xml -o json",
    ],
    names: "tests.name",
    startsDaemon: true,
    load: () => import("./commands/test.ts"),
  },
  {
    usage: "test record <pid>",
    summary: "Create a test from an ended run, and run it once.",
    description:
      "Writes NAME.test.yaml, and NAME.recording.yaml with the model's answers. The test contains the manifest of the run; with --agent it uses a manifest file instead.",
    options: [
      ["--name <name>", "the name of the files (default: the agent's name and the end of the pid)"],
      ["--out <folder>", "the folder (default: .agents/tests)"],
      ["--agent <file>", "the manifest to test"],
      ["--force", "replace existing files"],
    ],
    examples: ["aos test record @last", "aos test record agt_01kx --name pays --agent agent.yaml"],
    names: "test",
    startsDaemon: true,
    load: () => import("./commands/test-record.ts"),
  },
];
