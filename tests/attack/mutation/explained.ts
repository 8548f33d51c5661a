// Mutants that no test can notice, each with the reason why it changes nothing (scripts/mutate.ts).

import { capabilityText } from "./explained-capability-text.ts";
import { policy } from "./explained-policy.ts";

const SETTLEMENT = "kernel/src/syscall/settlement.ts";
const KNOWN = "kernel/src/capability/known-allowance.ts";
const SAVES = "of an empty list nothing is made either way: the condition only saves time";
const ALLOWED = "the chain has just allowed it: each of its blocks has a grant that does";

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
    "1d4170a947c4": { file: SETTLEMENT, why: SAVES },
    "91efc216e704": { file: SETTLEMENT, why: SAVES },
    d52eeb7a278a: { file: SETTLEMENT, why: SAVES },
    f7dfd19c6400: { file: "kernel/src/syscall/gate.ts", why: SAVES },
    f5fc8dce3ef3: { file: KNOWN, why: ALLOWED },
    a03dccf27013: { file: KNOWN, why: ALLOWED },
    "4ea73fc4d3e3": { file: KNOWN, why: ALLOWED },
    ...capabilityText,
    ...policy,
  };
