// Weaknesses: configurations with which an attack gets through. The tests use them to show that each attack can
// succeed.

import type { KernelOptions } from "@aos/kernel";

export type PolicySources = NonNullable<KernelOptions["policy"]>;

export const weaknesses = {
  "wide-grants": "the attacker is granted everything, with addresses named",
  "allow-all": "the policy is one rule that allows everything",
  "obedient-person": "the person approves every question",
  "bound-anywhere": "the secret is bound to every place that the attacker uses",
  "no-sandbox": "config.yaml says `sandbox.level: none`",
  "no-limits": "limits, budgets and the question limit are practically absent",
} as const;

export type Weakness = keyof typeof weaknesses;

export const ALLOW_ALL: PolicySources = [
  {
    layer: "organisation",
    origin: "the range",
    format: "policy",
    document: { version: 1, rules: [{ id: "everything", allow: "*" }] },
  },
];

export const NO_LIMITS = {
  spawnDepth: 30,
  treeProcesses: 100_000,
  mailboxDepth: 1_000_000,
  pendingCalls: 1_000_000,
  argumentBytes: 2 ** 30,
  spaceBytes: 2 ** 40,
  spaceFiles: 2 ** 30,
  memoryBytes: 2 ** 40,
  memoryFiles: 2 ** 30,
  denialsPerMinute: 1_000_000,
};

/** Every capability that can be granted, for a range whose servers have these ports. */
export const everything = (ports: readonly number[]): string[] => [
  "tool:*:call",
  "file:/**:*",
  "memory:/**:*",
  "memory:/mem/agents/**:*",
  "message:*:*",
  "signal:*:*",
  "agent:*:*",
  "secret:*:use",
  "http:*:*",
  ...ports.flatMap((port) => [
    `http:*:${port}:*`,
    ...["127.0.0.1", "localhost", "0.0.0.0"].map((host) => `http:${host}:${port}:*`),
  ]),
];
