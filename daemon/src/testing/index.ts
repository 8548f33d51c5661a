// Testing: agents under test, for people's own test runners. The same tests as files: docs/testing.md.
//
//   const report = await runAgentTest({
//     name: "pays nobody it does not know",
//     agent: "./agents/treasurer.yaml",
//     input: "Pay mallory",
//     script: { turns: [{ call: [{ tool: "send_money", args: { to: "mallory" } }] }, { say: "Done." }] },
//     tools: { send_money: { effect: "external", return: { ok: true } } },
//     expect: { refused: ["send_money"] },
//   });
//   expect(report.problems).toEqual([]);

import { join } from "node:path";
import { createScriptedModels, type ScriptText } from "@aos/drivers";
import type { AgentTestReport, ModelDriver } from "@aos/protocol";
import { stringify } from "yaml";
import { TestEnvironment, type TestEnvironmentOptions } from "./test-environment.ts";
import { runTest } from "./run-test.ts";
import { readTests } from "./test-file.ts";
import type { AgentTestText } from "./test-schema.ts";

export { fakeTool } from "./fake-tool.ts";
export type { AgentTestText } from "./test-schema.ts";

export type AgentTestOptions = Pick<
  TestEnvironmentOptions,
  "policy" | "programs" | "agents" | "limits"
> & {
  /** What relative paths begin from, and whose project's policy and tools hold; this folder unless said. */
  readonly folder?: string;
};

/** Throws EINVAL for a test that says what cannot be; all else is in the report. */
export async function runAgentTest(
  test: AgentTestText,
  { folder = process.cwd(), ...options }: AgentTestOptions = {},
): Promise<AgentTestReport> {
  const [written] = readTests(stringify({ tests: [test] }), join(folder, "test"));
  await using environment = new TestEnvironment(options);
  const { came: _came, ...report } = await runTest(written!, environment);
  return report;
}

/** A model for `createKernel` that answers every `scripted/NAME` from one script. */
export function scriptedModel(script: ScriptText): ModelDriver {
  const scripted = createScriptedModels({ folders: [], scripts: { script } });
  const model = "scripted/script";
  return {
    ...scripted,
    worstCase: (request) => scripted.worstCase({ ...request, model }),
    infer: (request, context) => scripted.infer({ ...request, model }, context),
  };
}
