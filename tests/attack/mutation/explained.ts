// Mutants that no test can notice, each with the reason why it changes nothing (scripts/mutate.ts).

import { capabilityText } from "./explained-capability-text.ts";
import { policy } from "./explained-policy.ts";
import { outputLimit } from "./explained-output-limit.ts";

const SETTLEMENT = "kernel/src/syscall/settlement.ts";
const KNOWN = "kernel/src/capability/holdings.ts";
const SAVES = "of an empty list nothing is made either way: the condition only saves time";
const CHECKED = "kernel/src/syscall/checked-arguments.ts";
const KNOWN_VALUE =
  "what is known is only not checked again, and no value but an object is ever known";
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
    "4ae833cef215": { file: SETTLEMENT, why: SAVES },
    "4b7dc4fa9e52": { file: "kernel/src/syscall/capability-check.ts", why: SAVES },
    "227ea027d613": { file: "kernel/src/syscall/file-flows.ts", why: SAVES },
    d4e51c911862: {
      file: "kernel/src/syscall/capability-check.ts",
      why: "of a single charge each grant is used once, and such a use is not refused here",
    },
    d4ea1131e5ff: {
      file: "kernel/src/syscall/call-context.ts",
      why: "whoever watches the end of a call is told the same moment again",
    },
    "53ffd5c44c55": {
      file: "kernel/src/syscall/call-context.ts",
      why: "undefined is not less than a number, and Infinity is not either",
    },
    d19b94568a8d: {
      file: "kernel/src/syscall/permit-issuer.ts",
      why: "the answer that is taken names the digest that was asked about: another asks again",
    },
    "36891dc8cc4a": {
      file: "kernel/src/syscall/permit-issuer.ts",
      why: "judged a second time the refusal is the same: the line only saves the looking",
    },
    f7dfd19c6400: { file: "kernel/src/syscall/gate.ts", why: SAVES },
    ec4de3342893: { file: KNOWN, why: ALLOWED },
    "26f1a61ae682": { file: KNOWN, why: ALLOWED },
    "77947c8a55bc": { file: KNOWN, why: ALLOWED },
    "404eaed18390": {
      file: "kernel/src/syscall/action.ts",
      why: "the schema accepts what is plain, and gives it back as it is (PLAIN-EXEC-1)",
    },
    b7b0eb104857: {
      file: "kernel/src/syscall/action.ts",
      why: "the schema accepts a checked request, and gives it back as it is",
    },
    a66498b0c122: { file: CHECKED, why: "a list has no messages" },
    "512e3968da11": { file: CHECKED, why: KNOWN_VALUE },
    d569bd64decb: { file: CHECKED, why: KNOWN_VALUE },
    "61c260f71ea6": { file: CHECKED, why: KNOWN_VALUE },
    f668a32b5901: { file: CHECKED, why: KNOWN_VALUE },
    f8962cd1999d: { file: CHECKED, why: KNOWN_VALUE },
    "5055b4e0c5d4": { file: CHECKED, why: KNOWN_VALUE },
    "8f39386d4f10": {
      file: "kernel/src/syscall/approval-requests.ts",
      why: "a batch is compared with others made alike: nothing and an empty text mean no run",
    },
    "9498dd7c391b": { file: "kernel/src/syscall/reach.ts", why: "no two of a set are alike" },
    "020e80888dab": { file: "kernel/src/syscall/reach.ts", why: "only the sign counts" },
    "710727fed89e": { file: "kernel/src/syscall/reach.ts", why: "only the sign counts" },
    ...capabilityText,
    ...policy,
    ...outputLimit,
  };
