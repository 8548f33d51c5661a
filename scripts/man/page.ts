// Page: what a man page has beside what the row of the call says. The synopsis, the arguments and the
// summary come from protocol/src; what a person has to write is here.

export interface Page {
  /** As a TypeScript program writes it; `sys` is what a program is given. */
  readonly synopsis: string;
  /** Paragraphs in Markdown. */
  readonly description: readonly string[];
  /** The capability that it needs; none when absent. */
  readonly rights: string;
  /** What it can fail with besides what every call can (docs/man/README.md). */
  readonly errors: readonly (readonly [code: string, when: string])[];
  readonly limits: readonly string[];
  readonly seeAlso: readonly string[];
  /** How older documents call it. */
  readonly alsoKnownAs?: string;
}

export type Pages<Names extends string> = Readonly<Record<Names, Page>>;
