// Policy files that somebody has written and wants to know about: what is wrong with them, what they
// decide, what they would have changed. Nothing here changes the policy in force.

import { policyTestsSchema } from "@aos/kernel";
import type { PolicyProblem, PolicyTestResult } from "@aos/protocol";
import { findProblems } from "../policy/place-problems.ts";
import { readPolicyText, type PolicyText } from "../policy/policy-text.ts";
import { readYaml, refusal } from "../yaml-file.ts";
import type { Answers, Desk } from "./answers.ts";

type Written = { readonly file: string; readonly text: string };

/** Each against the tools and channels that are there now, and none against another. */
export const checkPolicy: Answers["checkPolicy"] = async (desk, { files }) => {
  const problems: PolicyProblem[] = [];
  for (const { file, text } of files) {
    problems.push(...(await problemsOf(desk, readPolicyText(text, file, "organisation"))));
  }
  return { ok: problems.length === 0, problems };
};

/** Under the policy that ships, where that is in force: as it will be. */
export const testPolicy: Answers["testPolicy"] = async (desk, { policy, tests }) => {
  const text = await soundText(desk, policy);
  const { read } = readYaml(tests.text, tests.file, policyTestsSchema);
  const cases = await desk.kernel.testPolicy(desk.policy.sources([text]), read);
  const results = cases as unknown as PolicyTestResult[];
  return { ok: results.every(({ ok }) => ok), cases: results };
};

export const backtestPolicy: Answers["backtestPolicy"] = async (desk, { policy, sinceMs }) => {
  const text = await soundText(desk, policy);
  return desk.kernel.backtest(desk.policy.sourcesWith(text), Date.now() - sinceMs);
};

async function soundText(desk: Desk, { file, text }: Written): Promise<PolicyText> {
  const read = readPolicyText(text, file, "organisation");
  const problems = await problemsOf(desk, read);
  if (problems.length > 0) throw refusal([...problems]);
  return read;
}

async function problemsOf({ kernel }: Desk, text: PolicyText): Promise<readonly PolicyProblem[]> {
  return text.broken.length > 0 ? text.broken : findProblems(kernel, [text.source], [text]);
}
