// Handlers of operations about the policy: the rules in force, and checks, tests and backtests of policy files.

import { policyTestsSchema } from "@aos/kernel";
import type { policyOperations, PolicyProblem, PolicyTestResult } from "@aos/protocol";
import { findPolicyProblems } from "../../policy/problem-lines.ts";
import { readPolicyText, type PolicyText } from "../../policy/policy-text.ts";
import { readYaml, yamlFailure } from "../../yaml-file.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";

type Written = { readonly file: string; readonly text: string };

export const policyHandlers: HandlersOf<typeof policyOperations> = {
  policy: ({ kernel }) => kernel.policy(),
  reloadPolicy: ({ policy }, _, { caller }) => policy.reload(caller.name),

  /** Each against the tools and channels that are there now, and none against another. */
  async checkPolicy(gateway, { files }) {
    const problems: PolicyProblem[] = [];
    for (const { file, text } of files)
      problems.push(...(await problemsOf(gateway, readPolicyText(text, file, "organisation"))));
    return { ok: problems.length === 0, problems };
  },

  /** Under the policy that ships, where that is in force: as it will be. */
  async testPolicy(gateway, { policy, tests }) {
    const text = await soundText(gateway, policy);
    const { read } = readYaml(tests.text, tests.file, policyTestsSchema);
    const cases = await gateway.kernel.testPolicy(gateway.policy.sources([text]), read);
    const results = cases as unknown as PolicyTestResult[];
    return { ok: results.every(({ ok }) => ok), cases: results };
  },

  async backtestPolicy(gateway, { policy, sinceMs }, { onProgress }) {
    const text = await soundText(gateway, policy);
    const sources = gateway.policy.sourcesWith(text);
    return gateway.kernel.backtest(sources, Date.now() - sinceMs, { onProgress });
  },
};

async function soundText(gateway: GatewayContext, { file, text }: Written): Promise<PolicyText> {
  const read = readPolicyText(text, file, "organisation");
  const problems = await problemsOf(gateway, read);
  if (problems.length > 0) throw yamlFailure([...problems]);
  return read;
}

async function problemsOf(
  { kernel }: GatewayContext,
  text: PolicyText,
): Promise<readonly PolicyProblem[]> {
  return text.broken.length > 0 ? text.broken : findPolicyProblems(kernel, [text.source], [text]);
}
