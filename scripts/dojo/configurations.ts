// Configurations: what stands between an agent and its tools, from nothing to pins made before it reads.

import { DEFAULT_POLICY, type KernelOptions } from "@aos/kernel";
import { NO_PLAN, planOf, type Plan } from "./plan.ts";
import type { Suite, UserTask } from "./traces.ts";

export interface Configuration {
  readonly policy: NonNullable<KernelOptions["policy"]>;
  /** The tools that the agent of a task may call at all. */
  readonly tools: (suite: Suite, task: UserTask) => readonly string[];
  readonly plan: (suite: Suite, task: UserTask) => Plan;
}

const ANYTHING: Configuration["policy"] = [
  {
    layer: "kernel",
    origin: "the dojo: nothing is asked",
    format: "policy",
    document: { version: 1, rules: [{ id: "anything", allow: "*" }] },
  },
];

const every = (suite: Suite): string[] => [...suite.tools.keys()];
const needed = (_suite: Suite, { calls }: UserTask): string[] => [
  ...new Set(calls.map(({ tool }) => tool)),
];
const noPlan = (): Plan => NO_PLAN;

export const configurations = {
  none: { policy: ANYTHING, tools: every, plan: noPlan },
  capabilities: { policy: ANYTHING, tools: needed, plan: noPlan },
  default: { policy: [DEFAULT_POLICY], tools: every, plan: noPlan },
  pinned: { policy: [DEFAULT_POLICY], tools: every, plan: planOf },
} as const satisfies Record<string, Configuration>;

export type ConfigurationName = keyof typeof configurations;
