// A policy for tests: the rules of one layer, as policy.yaml has them.

import type { KernelOptions } from "@aos/kernel";

type Source = NonNullable<KernelOptions["policy"]>[number];

export const layer = (name: string, ...rules: readonly object[]): Source => ({
  layer: name,
  origin: `${name}.yaml`,
  format: "policy",
  document: { version: 1, rules },
});

/** These rules, and that everything else is allowed. */
export const allowBut = (...rules: readonly object[]): Source[] => [
  layer("test", { id: "all", allow: "*" }, ...rules),
];

/** These rules, and nothing else is allowed. */
export const only = (...rules: readonly object[]): Source[] => [layer("test", ...rules)];
