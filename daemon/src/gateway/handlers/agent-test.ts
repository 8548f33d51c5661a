// Handlers of operations about tests of agents: they are run as this daemon would run the agents themselves, with its policy,
// its limits and its sandbox, in kernels of their own. What runs them is loaded at need.

import {
  DEFAULT_TENANT,
  SysError,
  type AgentTestReport,
  type agentTestOperations,
} from "@aos/protocol";
import { agentsOfHome } from "../../agents.ts";
import { kernelOptionsOf, privateFolders } from "../../config.ts";
import { sourcesOf } from "../../doctor/live-source.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { TestEnvironment } from "../../testing/test-environment.ts";
import type { TestDefinition } from "../../testing/test-file.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";

export const agentTestHandlers: HandlersOf<typeof agentTestOperations> = {
  async runTests(gateway, { paths, only }, { signal }) {
    const { findTests } = await import("../../testing/find-tests.ts");
    const tests = findTests(paths, only);
    refuseUntrusted(gateway, tests);
    return reports(tests, await benchOf(gateway), signal);
  },
  async recordTest(gateway, { pid, ...wish }) {
    const { recordTest } = await import("../../testing/record-test.ts");
    await using bench = await benchOf(gateway);
    // Awaited here: the bench must be there until it is tried.
    return await recordTest(gateway.kernel, pid, wish, bench);
  },
};

async function* reports(
  tests: readonly TestDefinition[],
  opened: TestEnvironment,
  signal: AbortSignal,
): AsyncGenerator<AgentTestReport> {
  await using bench = opened;
  const { runTests } = await import("../../testing/run-tests.ts");
  yield* runTests(tests, bench, signal);
}

/** A test in `.agents` is the project's: nothing of a project that is not trusted runs. */
function refuseUntrusted({ trust }: GatewayContext, tests: readonly TestDefinition[]): void {
  for (const { folder } of tests) {
    const [project] = /^(.*?)(?=\/\.agents(?:\/|$))/.exec(folder) ?? [];
    if (project === undefined || trust.trusted(project, DEFAULT_TENANT) !== undefined) continue;
    throw new SysError("EACCES", `the tests of ${project} are not trusted`, {
      hint: `look at them and trust them: aos trust ${project}`,
    });
  }
}

async function benchOf({
  kernel,
  config,
  home,
  skills,
  sandbox,
  mcp,
  models,
  trust,
  projects,
}: GatewayContext): Promise<TestEnvironment> {
  const { limits, approvals } = kernelOptionsOf(config, home);
  const { TestEnvironment } = await import("../../testing/test-environment.ts");
  return new TestEnvironment({
    ...omitUndefined({ limits, approvals }),
    policy: sourcesOf(await kernel.policy()),
    agents: agentsOfHome(home),
    agentFolders: [home.agents],
    trusted: trust.trusted,
    projects,
    scriptFolders: [home.scripts],
    toolFolder: home.tools,
    skills,
    sandbox,
    private: privateFolders(config, home),
    mayComeToBe: (name) => mcp.provider.mayComeToBe(name),
    liveDriver: (provider) => models.driver(provider),
  });
}
