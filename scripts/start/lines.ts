// Lines: text for a terminal, no wider than it is, with or without colours. Plain ASCII.

import { styleText } from "node:util";

const NARROWEST = 60;
const USUAL = 80;
const WIDEST = 100;

const width = Math.min(WIDEST, Math.max(NARROWEST, process.stdout.columns || USUAL));

/** Colours only where `NO_COLOR` is not set and a person looks. */
export const bold = (text: string): string => styleText("bold", text);
export const dim = (text: string): string => styleText("dim", text);
export const red = (text: string): string => styleText("red", text);
export const yellow = (text: string): string => styleText("yellow", text);
export const green = (text: string): string => styleText("green", text);

type Paint = (text: string) => string;
const trustAnyFolder: Paint = (text) => text;

export const say = (text = ""): void => void process.stdout.write(`${text}\n`);

const WORD_AT = 2;
const TEXT_AT = 12;

/** A word in front, and a text beside it that goes on below itself. */
export function sayBeside(
  word: string,
  text: string,
  paint: { word?: Paint; text?: Paint } = {},
): void {
  const { word: front = trustAnyFolder, text: beside = trustAnyFolder } = paint;
  const [first = "", ...rest] = wrapped(text, width - TEXT_AT);
  say(" ".repeat(WORD_AT) + front(word.padEnd(TEXT_AT - WORD_AT)) + beside(first));
  for (const line of rest) say(" ".repeat(TEXT_AT) + beside(line));
}

/** At blanks; a word that is too long by itself stays whole, so that it can be copied. */
function wrapped(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}
