// Skim: a record of a call, read as far as its arguments without decoding them. Replay holds the arguments of
// the program against the record's own text, byte for byte.
//
// SKIM-CALL-1  What is skimmed is written as callText() writes it (record-text.ts), to the last
//     character; of what is written in any other way nothing is said, and it has to be decoded.

export interface SkimmedCall {
  readonly seq: number;
  readonly cause: number;
  readonly n: number;
  /** Where the name of the call begins. */
  readonly nameAt: number;
}

const KIND = '{"kind":"call","seq":';
const AT = ',"at":';
const CAUSE = ',"cause":';
const N = ',"n":';
const CALL = ',"call":"';
const ARGS = '","args":';

/** Numbers of more digits are not written by a kernel. */
const MOST_DIGITS = 15;

/** Where the number that begins here ends; -1 where none does, or not as a number is written. */
function numberEnd(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  const digits = at - from;
  if (digits === 0 || digits > MOST_DIGITS) return -1;
  return digits > 1 && text.charCodeAt(from) === ZERO ? -1 : at;
}

const ZERO = 48;
const isDigit = (unit: number): boolean => unit >= ZERO && unit <= 57;

export function skimCall(text: string): SkimmedCall | undefined {
  if (!text.startsWith(KIND)) return undefined;
  const seqEnd = numberEnd(text, KIND.length);
  if (seqEnd < 0 || !text.startsWith(AT, seqEnd)) return undefined;
  const atEnd = numberEnd(text, seqEnd + AT.length);
  if (atEnd < 0 || !text.startsWith(CAUSE, atEnd)) return undefined;
  const causeEnd = numberEnd(text, atEnd + CAUSE.length);
  if (causeEnd < 0 || !text.startsWith(N, causeEnd)) return undefined;
  const nEnd = numberEnd(text, causeEnd + N.length);
  if (nEnd < 0 || !text.startsWith(CALL, nEnd)) return undefined;
  return {
    seq: Number(text.slice(KIND.length, seqEnd)),
    cause: Number(text.slice(atEnd + CAUSE.length, causeEnd)),
    n: Number(text.slice(causeEnd + N.length, nEnd)),
    nameAt: nEnd + CALL.length,
  };
}

/** What follows the arguments, if the record is of this call with these arguments; else undefined. */
export function restAfter(
  text: string,
  { nameAt }: SkimmedCall,
  { name, args }: { readonly name: string; readonly args: string },
): string | undefined {
  const nameEnd = nameAt + name.length;
  const argsAt = nameEnd + ARGS.length;
  const argsEnd = argsAt + args.length;
  const isSame =
    text.startsWith(name, nameAt) &&
    text.startsWith(ARGS, nameEnd) &&
    text.slice(argsAt, argsEnd) === args; // startsWith compares one character at a time
  return isSame ? text.slice(argsEnd) : undefined;
}
