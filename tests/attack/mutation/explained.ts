// Mutants that no test can notice, each with the reason why it changes nothing (scripts/mutate.ts).

import { capabilityText } from "./explained-capability-text.ts";
import { policy } from "./explained-policy.ts";

export const explained: Readonly<Record<string, { readonly file: string; readonly why: string }>> =
  {
    "4d79b8988514": {
      file: "kernel/src/label/label.ts",
      why: "join(a, a) without its first line computes a from a, and returns the same a",
    },
    "57470d118c2a": {
      file: "kernel/src/syscall/allowed-tools.ts",
      why: "of a process that nothing narrows no tool is kept: the line only saves the looking",
    },
    ...capabilityText,
    ...policy,
  };
