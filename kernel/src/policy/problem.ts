// Problems of a policy text, each with its position. policy-formats/problem-list.ts collects them.

export type DocumentPath = readonly (string | number)[];

/** One problem, with its place in the document. */
export class PolicyError extends Error {
  override readonly name = "PolicyError";
  readonly path: DocumentPath;

  constructor(path: DocumentPath, message: string) {
    super(message);
    this.path = path;
  }
}

/** All problems of one text. */
export class PolicyProblems extends Error {
  override readonly name = "PolicyProblems";
  readonly problems: readonly PolicyError[];

  constructor(problems: readonly PolicyError[]) {
    super(problems.map(({ path, message }) => `${fieldOf(path)}: ${message}`).join("\n"));
    this.problems = problems;
  }
}

/** `rules[1].deny[0]`; `policy` for the whole document. */
export const fieldOf = (path: DocumentPath): string =>
  path.length === 0
    ? "policy"
    : path
        .map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`))
        .join("");
