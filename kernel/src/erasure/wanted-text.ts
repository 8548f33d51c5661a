// WantedText: what is to be forgotten, where it stands in a text, and how values are written without it.
//
//   const wanted = wantedText({ words: ["Alice Miller"], passages: [] })
//   wanted.isIn('…"to":"alice miller"…')      true
//   wanted.withoutIt({ to: "alice miller" })  { to: "[erased]" }
//
// WANTED-TEXT-1  Words are found whole, whatever their case and spaces, in JSON texts within JSON texts too, and as the
//     name of a folder that was made of them (`alice-miller`).
// WANTED-TEXT-2  Passages are found as they are, in whatever they were copied into.
// WANTED-TEXT-3  A text within a value goes as a whole: what stands beside the words may be about them.
//     What a search gave as its reasons goes with it.
// WANTED-TEXT-4  `searched` finds at least every row that has it: the databases fold the case of ASCII only.

import { subjectKey, type Json } from "@aos/protocol";

/** What a text is replaced by. */
export const ERASED = "[erased]";

export interface WantedText {
  /** Words of which one is, in lower case, in every row that may have it. */
  readonly searched: readonly string[];
  /** Of any text, JSON or not. */
  isIn(text: string): boolean;
  /** The value with ERASED in the place of each text that has it; the same value where none has. */
  withoutIt(value: Json): Json;
}

interface Sought {
  /** Whatever their case and spaces. */
  readonly words: readonly string[];
  /** To the letter. */
  readonly passages: readonly string[];
}

export function wantedText({ words, passages }: Sought): WantedText {
  const names = words.flatMap((one) => {
    const key = /\s/.test(one.trim()) ? subjectKey(one) : undefined;
    return key === undefined ? [one] : [one, key];
  });
  const patterns = names.map(patternOf);
  const exact = [...new Set(passages.flatMap((one) => [one, inJson(one)]))];
  const isIn = (text: string): boolean =>
    exact.some((one) => text.includes(one)) ||
    (patterns.length > 0 && isMatched(text.normalize("NFC"), patterns));
  return {
    searched: [...new Set([...words.flatMap(searchedFor), ...passages.flatMap(searchedFor)])],
    isIn,
    withoutIt: (value) => (isIn(JSON.stringify(value)) ? without(value, isIn) : value),
  };
}

const isMatched = (text: string, patterns: readonly RegExp[]): boolean =>
  patterns.some((pattern) => pattern.test(text));

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const LETTER = String.raw`[\p{L}\p{N}]`;
/** In a JSON text within a JSON text, a new line is `\n`, whose last character looks like a letter. */
const ESCAPE = String.raw`\\[nrtbf]`;

/** WANTED-TEXT-1. */
function patternOf(words: string): RegExp {
  const parts = words.normalize("NFC").trim().split(/\s+/);
  const body = parts.map(escaped).join(String.raw`(?:\s|${ESCAPE}|_)+`);
  const begins = new RegExp(`^${LETTER}`, "u").test(words.trim())
    ? `(?:(?<!${LETTER})|(?<=${ESCAPE}))`
    : "";
  const ends = new RegExp(`${LETTER}$`, "u").test(words.trim()) ? `(?!${LETTER})` : "";
  return new RegExp(`${begins}${body}${ends}`, "iu");
}

/** A quotation mark or a backslash may be escaped, once or more often. */
const escaped = (part: string): string =>
  Array.from(part)
    .map((sign) =>
      /["\\]/.test(sign)
        ? String.raw`\\*\u{${sign.codePointAt(0)!.toString(16)}}`
        : /[\p{L}\p{N}]/u.test(sign)
          ? sign
          : String.raw`\u{${sign.codePointAt(0)!.toString(16)}}`,
    )
    .join("");

const LONGEST_SEARCHED = 60;

/** WANTED-TEXT-4. The longest run of ASCII letters and digits; where there is none, the words in each case. */
function searchedFor(words: string): string[] {
  const runs =
    words
      .slice(0, 2000)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const longest = runs.toSorted((a, b) => b.length - a.length)[0] ?? "";
  if (longest.length >= 3) return [longest.slice(0, LONGEST_SEARCHED)];
  const [first = ""] = words.trim().split(/\s+/);
  const capital = first.slice(0, 1).toUpperCase() + first.slice(1).toLowerCase();
  const forms = [first, first.toLowerCase(), first.toUpperCase(), capital];
  const composed = forms.flatMap((one) => [one.normalize("NFC"), one.normalize("NFD")]);
  return [...new Set(composed.map((one) => lowerAscii(inJson(one))))];
}

/** As both databases fold: the rest of a text keeps its case there. */
const lowerAscii = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** WANTED-TEXT-3. */
function without(value: Json, isIn: (text: string) => boolean): Json {
  if (typeof value === "string") return isIn(value) ? ERASED : value;
  if (typeof value === "number") return isIn(String(value)) ? ERASED : value;
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((member) => without(member, isIn));
  // The reasons of a search name its words one by one.
  const isReason = typeof value["feature"] === "string" && typeof value["says"] === "string";
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      isIn(name) ? ERASED : name,
      isReason && name === "says" ? ERASED : without(member, isIn),
    ]),
  );
}
