// Policy reports: what the operator's questions about policy files are answered with.

/** One case of a policy's own tests. */
export interface PolicyTestResult {
  readonly name: string;
  readonly ok: boolean;
  readonly expected: { readonly effect: string; readonly rule?: string; readonly tags?: string[] };
  readonly got: {
    readonly effect: string;
    readonly rule: string;
    readonly tags: readonly string[];
  };
}

/** A problem of a policy text, by its place in the document: in the `detail` of the kernel's refusal. */
export interface PolicyFlaw {
  readonly origin: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A problem of a policy file, where it stands. */
export interface PolicyProblem {
  readonly file: string;
  readonly line: number;
  readonly field: string;
  readonly message: string;
}
