// Rows about tests of agents: a part of the commands (commands.ts).

import type { CommandRow } from "./command.ts";

export const testRows: readonly CommandRow[] = [
  {
    usage: "test [paths...]",
    summary: "Run tests of agents, with a scripted model and fake tools.",
    description:
      "PATHS are files, or folders that are looked through for NAME.test.yaml; .agents/tests of this project unless said. The exit code is 1 when a test fails.",
    options: [
      ["--only <words>", "only tests whose file or name has these words"],
      ["--junit <file>", "write the results as JUnit XML, too"],
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
    summary: "Make a test of a run that has ended, and try it once.",
    description:
      "Writes NAME.test.yaml, and NAME.recording.yaml with what the model answered. The test has its manifest as it was; with --agent it is about the one in a file, as that is now.",
    options: [
      [
        "--name <name>",
        "what the files are called; the agent's name and the pid's end unless said",
      ],
      ["--out <folder>", "where they are put; .agents/tests unless said"],
      ["--agent <file>", "the manifest to test"],
      ["--force", "replace files that are there"],
    ],
    examples: ["aos test record @last", "aos test record agt_01kx --name pays --agent agent.yaml"],
    names: "test",
    startsDaemon: true,
    load: () => import("./commands/test-record.ts"),
  },
];
