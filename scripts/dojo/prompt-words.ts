// Prompt words: does the user's own text give the value of an argument? Only then may a pin be made of
// it before anything untrusted is read.
//
//   gives(prompt, value)     every part of the value stands in the prompt
//
// PROMPT-WORDS-1  A part stands there as a whole word, in whatever case: `13` is not in `2024-05-13`, and
//     not in `130`.
// PROMPT-WORDS-2  A date stands there if year, month and day do: `2025-01-11` in "from January 11th to
//     15th 2025".
// PROMPT-WORDS-3  A date with a time stands there if both do, or if the prompt says how many hours after
//     another one of the call it is.
// PROMPT-WORDS-4  What says nothing (an empty text, a list of nothing, yes or no) stands nowhere.

import type { Json, JsonObject } from "@aos/protocol";

const MONTHS =
  "january february march april may june july august september october november december".split(
    " ",
  );
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2})$/;
const HOURS = /\b(\d{1,2}|an|one|two|three|four|five|six)[ -]hours?\b/g;
const NUMBERS = ["", "one", "two", "three", "four", "five", "six"];
const HOUR_MS = 3_600_000;

export function gives(prompt: string, value: Json | undefined, call: JsonObject = {}): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((part) => gives(prompt, part));
  if (typeof value === "object" && value !== null) return gives(prompt, Object.values(value));
  if (typeof value === "number") return hasWord(prompt, String(value)) || hasPrice(prompt, value);
  if (typeof value !== "string" || value.trim() === "") return false; // PROMPT-WORDS-4
  return (
    hasWord(prompt, value) ||
    hasDate(prompt, value) ||
    hasMoment(prompt, value) ||
    isHoursAfter(prompt, value, call)
  );
}

/** PROMPT-WORDS-1. A point or a dash between digits or letters belongs to the word; one at the end of a sentence does not. */
function hasWord(prompt: string, word: string): boolean {
  const text = prompt.toLowerCase();
  const wanted = word.toLowerCase();
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text.slice(0, at);
    const after = text.slice(at + wanted.length);
    if (
      !/[\p{L}\p{N}_]$|[\p{L}\p{N}][.@:/-]$/u.test(before) &&
      !/^[\p{L}\p{N}_]|^[.@:/-][\p{L}\p{N}]/u.test(after)
    )
      return true;
  }
  return false;
}

const hasPrice = (prompt: string, value: number): boolean => hasWord(prompt, value.toFixed(2));

/** PROMPT-WORDS-2. */
function hasDate(prompt: string, value: string): boolean {
  const [, year, month, day] = DATE.exec(value) ?? [];
  if (year === undefined) return false;
  const name = MONTHS[Number(month) - 1];
  const nth = `${Number(day)}(?:st|nd|rd|th)?`;
  const spoken = new RegExp(`\\b(?:${name} ${nth}|${nth} (?:of )?${name})\\b`, "i");
  return hasWord(prompt, year) && spoken.test(prompt);
}

/** PROMPT-WORDS-3. */
function hasMoment(prompt: string, value: string): boolean {
  const [, date, time] = MOMENT.exec(value) ?? [];
  if (date === undefined || time === undefined) return false;
  return (hasWord(prompt, date) || hasDate(prompt, date)) && hasWord(prompt, time);
}

/** PROMPT-WORDS-3. */
function isHoursAfter(prompt: string, value: string, call: JsonObject): boolean {
  if (!MOMENT.test(value)) return false;
  const hours = prompt.toLowerCase().matchAll(HOURS);
  const spoken = new Set(Array.from(hours, ([, count]) => hoursOf(count!)));
  return Object.values(call).some((start) => {
    if (typeof start !== "string" || !hasMoment(prompt, start)) return false;
    return spoken.has((timeOf(value) - timeOf(start)) / HOUR_MS);
  });
}

const hoursOf = (count: string): number =>
  count === "an" ? 1 : NUMBERS.includes(count) ? NUMBERS.indexOf(count) : Number(count);

const timeOf = (moment: string): number => Date.parse(`${moment.replace(" ", "T")}:00Z`);

/** The words of what was asked for, small. */
export const wordsOf = (value: Json): string[] =>
  typeof value === "string" ? (value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) : [];
