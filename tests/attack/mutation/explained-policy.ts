// Mutants of the policy folder which no test can notice.

const RATES = "kernel/src/policy/rates.ts";
const SETTLED = "kernel/src/policy/verdict-cache.ts";

const SWEEP =
  "when full buckets are dropped is a matter of memory: a full one is the same as none (RATES-2)";

const SAVES = "of a layer without labels nothing is said either way: the line only saves time";

export const policy: Readonly<Record<string, { readonly file: string; readonly why: string }>> = {
  ec5952221fd9: { file: RATES, why: SWEEP },
  feae37560283: { file: RATES, why: SWEEP },
  df0eb4f45edd: { file: RATES, why: SWEEP },
  "03b9a20604c3": { file: RATES, why: SWEEP },
  fc7dbfa355ee: {
    file: "kernel/src/policy-formats/conditions.ts",
    why: "tells the library not to look for a promise, and there is none: this only saves time",
  },
  ad8c1430aff5: {
    file: SETTLED,
    why: "the bits of the kinds have to differ from each other, and still do one place further left",
  },
  "87e9891d0d41": { file: SETTLED, why: "to |= undefined is 0" },
  be5ffdefc4cd: {
    file: "kernel/src/policy/policies.ts",
    why: "a text that cannot be read is a problem, and with a problem nothing is loaded (POLICIES-1)",
  },
  a3911872f1a3: { file: "kernel/src/policy/engine.ts", why: SAVES },
  def3789bb4f2: {
    file: "kernel/src/policy/subject.ts",
    why: "strengths are only compared, and that of kill is the largest either way",
  },
  "1726e5159e88": {
    file: "kernel/src/policy-formats/rule-text.ts",
    why: "a rule that cannot be read is a problem, and with a problem nothing is loaded (O1)",
  },
};
