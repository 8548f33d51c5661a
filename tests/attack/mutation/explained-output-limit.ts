// Mutants of the limit of a model's answer which no test can notice.

const FILE = "kernel/src/syscall/output-limit.ts";
const UNLIMITED = "where nothing limits it the rest comes to the same: the line only saves time";
const BELOW = "it only has to be less than every amount";

export const outputLimit: Readonly<
  Record<string, { readonly file: string; readonly why: string }>
> = {
  "0b9df9331f73": { file: FILE, why: "an answer of one token is known to fit there" },
  ab1ae3942162: {
    file: FILE,
    why: "where one token does not fit no number does, and 0 is returned",
  },
  "318e6e052566": { file: FILE, why: UNLIMITED },
  b011b5f51511: { file: FILE, why: UNLIMITED },
  c6fe44c85586: { file: FILE, why: UNLIMITED },
  "0c36cd4035b7": { file: FILE, why: UNLIMITED },
  "19ce28366fa5": { file: FILE, why: BELOW },
};
