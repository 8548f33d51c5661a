// Scan: helpers for reading a text character by character.
//
//   endOfRun(text, at, isOne)          where the characters that are one end
//   skipSpace(text, at)                the first place that is no space
//   readItems(text, at, close, one)    a comma list between brackets

import { CapabilityError } from "./error.ts";

export function endOfRun(text: string, at: number, isOne: (character: string) => boolean): number {
  for (let end = at; end < text.length; end++) if (!isOne(text.charAt(end))) return end;
  return text.length;
}

export function skipSpace(text: string, at: number): number {
  return endOfRun(text, at, (character) => character === " ");
}

/** `one` reads an item and says where it ends; so does the whole. */
export function readItems(
  text: string,
  at: number,
  close: string,
  one: (at: number) => number,
): number {
  let next = skipSpace(text, at + 1);
  if (text[next] === close) return next + 1;
  for (;;) {
    next = skipSpace(text, one(next));
    if (text[next] === close) return next + 1;
    if (text[next] !== ",") throw new CapabilityError(`expected , or ${close}`, text, next);
    next = skipSpace(text, next + 1);
  }
}
