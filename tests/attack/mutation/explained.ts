// Mutants that no test can notice, each with the reason why it changes nothing (scripts/mutate.ts).

export const explained: Readonly<Record<string, { readonly file: string; readonly why: string }>> =
  {
    "4d79b8988514": {
      file: "kernel/src/label/label.ts",
      why: "join(a, a) without its first line computes a from a, and returns the same a",
    },
  };
