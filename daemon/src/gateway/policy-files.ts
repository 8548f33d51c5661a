// Policy files that somebody has written and wants to know about: what is wrong with them, what they
// decide, what they would have changed. Nothing here changes the policy in force.

import { policyTestsSchema } from "@aos/kernel";
import type { PolicyProblem, PolicyTestResult } from "@aos/protocol";
import { findPolicyProblems } from "../policy/problem-lines.ts";
import { readPolicyText, type PolicyText } from "../policy/policy-text.ts";
import { readYaml, yamlFailure } from "../yaml-file.ts";
import type { OperationHandlers, GatewayContext } from "./handlers.ts";

type Written = { readonly file: string; readonly text: string };

/** Each against the tools and channels that are there now, and none against another. */
export const checkPolicy: OperationHandlers["checkPolicy"] = async (gateway, { files }) => {
  const problems: PolicyProblem[] = [];
  for (const { file, text } of files) {
    problems.push(...(await problemsOf(gateway, readPolicyText(text, file, "organisation"))));
  }
  return { ok: problems.length === 0, problems };
};

/** Under the policy that ships, where that is in force: as it will be. */
export const testPolicy: OperationHandlers["testPolicy"] = async (gateway, { policy, tests }) => {
  const text = await soundText(gateway, policy);
  const { read } = readYaml(tests.text, tests.file, policyTestsSchema);
  const cases = await gateway.kernel.testPolicy(gateway.policy.sources([text]), read);
  const results = cases as unknown as PolicyTestResult[];
  return { ok: results.every(({ ok }) => ok), cases: results };
};

export const backtestPolicy: OperationHandlers["backtestPolicy"] = async (
  gateway,
  { policy, sinceMs },
) => {
  const text = await soundText(gateway, policy);
  return gateway.kernel.backtest(gateway.policy.sourcesWith(text), Date.now() - sinceMs);
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
