// What the tests of approvals share: a policy with rules that ask, and a program that wants to pay.

import type { KernelOptions, Kernel, Question } from "@aos/kernel";
import type { Sys } from "@aos/protocol";
import { bootForTest, codeOf, TOOLS, until } from "../../helpers/kernel.ts";

export type Rules = readonly { readonly id: string; readonly [key: string]: unknown }[];

export const policyOf = (...rules: Rules): NonNullable<KernelOptions["policy"]> => [
  {
    layer: "organisation",
    origin: "the test",
    format: "policy",
    document: { version: 1, rules: [{ id: "all", allow: "*" }, ...rules] },
  },
];

export const askBeforePay = policyOf({ id: "ask-pay", ask: "tool:pay" });

/** Makes its calls one after another; its output is what each came to. */
export const payer = async (sys: Sys, input: unknown): Promise<string[]> => {
  const codes = [];
  for (const args of input as { to: string }[]) codes.push(await codeOf(sys.exec("pay", args)));
  return codes;
};

/** The message that a call fails with, or `ok`. */
export const messageOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "ok",
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );

export const bootPayer = (options: Parameters<typeof bootForTest>[0] = {}) =>
  bootForTest({ policy: askBeforePay, programs: { payer }, ...options });

export const spawnPayer = (kernel: Kernel, ...to: string[]) =>
  kernel.spawn({ agent: "payer", capabilities: TOOLS, input: to.map((name) => ({ to: name })) });

/** Waits until so many lines are open. */
export async function openOf(kernel: Kernel, count: number): Promise<Question[]> {
  await until(async () => (await kernel.questions()).length === count, `${count} questions`);
  return kernel.questions();
}

/** Waits until the line stands for so many calls. */
export async function batchOf(kernel: Kernel, count: number): Promise<Question> {
  const first = async () => (await kernel.questions())[0];
  await until(async () => (await first())?.count === count, `${count} in one line`);
  return (await first())!;
}
