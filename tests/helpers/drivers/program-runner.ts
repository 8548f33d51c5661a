// A program runner for tests: the workspace is a folder that the test has, and nothing runs.

import type { Workspace } from "../../../drivers/src/workspace/index.ts";
import type { ProgramRunner } from "../../../drivers/src/tools/program-runner.ts";

export function programRunnerForTest(root: string, own: readonly string[] = []): ProgramRunner {
  const workspace: Workspace = {
    kind: "private",
    root,
    user: undefined,
    hidden: async () => [],
  };
  return {
    sandbox: () => Promise.reject(new Error("nothing runs here")),
    workspaces: { of: async () => workspace } as never,
    socketFolder: "/nonexistent",
    quarantine: "/nonexistent",
    private: own,
  };
}
