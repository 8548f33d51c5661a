// Mutants of the files that read and write capabilities and tokens which no test can notice.

const GRAMMAR = "kernel/src/capability/grammar.ts";
const READ_ONCE = "what a text means never changes: the table only saves reading it again";
const CHARACTERS = "kernel/src/capability/characters.ts";
const VISIBLE = "the table holds no character from space to tilde: this only saves looking it up";
const SPACE = "what is said of the space here is not read: it has been called visible before";
const PLAIN = "a text taken to be not plain is looked at one by one, and the answer is the same";

export const capabilityText: Readonly<
  Record<string, { readonly file: string; readonly why: string }>
> = {
  a1eb1c849736: { file: GRAMMAR, why: READ_ONCE },
  c4ebbfb21d49: { file: GRAMMAR, why: READ_ONCE },
  e882236562b1: { file: GRAMMAR, why: READ_ONCE },
  c13907aadcf1: { file: GRAMMAR, why: READ_ONCE },
  "441173ed1ddf": { file: GRAMMAR, why: READ_ONCE },
  "5fb26a6a517a": { file: GRAMMAR, why: READ_ONCE },
  "649feae1ee9a": { file: CHARACTERS, why: SPACE },
  "9022f2c0eb4d": { file: CHARACTERS, why: VISIBLE },
  "3a96f3b4a95a": { file: CHARACTERS, why: VISIBLE },
  f68443ba3313: { file: CHARACTERS, why: PLAIN },
  b86454ac238b: { file: CHARACTERS, why: PLAIN },
  "0133d7a891db": { file: CHARACTERS, why: PLAIN },
  d8bb38168f63: { file: CHARACTERS, why: PLAIN },
  d7b78ce9f2bd: { file: CHARACTERS, why: PLAIN },
  aafab864e757: { file: CHARACTERS, why: PLAIN },
};
