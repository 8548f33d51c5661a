// Rows about tests of agents: a part of the commands (commands.ts).

import { operationHelp } from "@aos/protocol/help";
import type { CommandRow } from "./command.ts";

export const testRows: readonly CommandRow[] = [
  {
    usage: "test [paths...]",
    summary: operationHelp.runTests.summary,
    description:
      "PATHS are files, or folders that are searched for NAME.test.yaml (default: .agents/tests of this project). The exit code is 1 when a test fails.",
    options: [
      ["--only <words>", operationHelp.runTests.args.only],
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
    summary: operationHelp.recordTest.summary,
    description:
      "Writes NAME.test.yaml, and NAME.recording.yaml with the model's answers. The test contains the manifest of the run; with --agent it uses a manifest file instead.",
    options: [
      ["--name <name>", operationHelp.recordTest.args.name],
      ["--out <folder>", "the folder (default: .agents/tests)"],
      ["--agent <file>", operationHelp.recordTest.args.agent],
      ["--force", "replace existing files"],
    ],
    examples: ["aos test record @last", "aos test record agt_01kx --name pays --agent agent.yaml"],
    names: "test",
    startsDaemon: true,
    load: () => import("./commands/test-record.ts"),
  },
];
