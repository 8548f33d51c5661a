// Memory content: what a file of memory is made of, for search. A file is split into passages: turns of a dialogue,
// sections of a document, declarations of source code.
//
//   memoryContentOf("/mem/shared/log/3", { speaker: "Ada", text: "We ship on Friday" }, day)
//
// MEMORY-CONTENT-1  The same path and data have the same passages.
// MEMORY-CONTENT-2  Any data has at least one passage; what is not understood is text.
// MEMORY-CONTENT-3  A file with a `source` (one that was ingested) is split by the name of that source.

import { type Fact, type Json, readFact } from "@aos/protocol";
import { datesIn } from "./dates.ts";
import { splitCode } from "./split-code.ts";
import { splitDocument } from "./split-text.ts";

export type ContentKind = "dialogue" | "document" | "code" | "episode";

export interface Passage {
  readonly text: string;
  /** Headings, names of declarations and the like; the path is added by the index. */
  readonly head?: string;
  readonly author?: string;
  /** The calendar day of its session, YYYYMMDD. */
  readonly day?: number;
  /** The first line in its file, from 1. */
  readonly line?: number;
  /** No vector is made of it. */
  readonly isQuiet?: boolean;
}

export interface MemoryContent {
  readonly kind: ContentKind;
  readonly passages: readonly Passage[];
  /** Where the data is a fact (protocol/memory-records.ts). */
  readonly fact?: Fact;
}

const AUTHOR = ["speaker", "author", "role", "from", "sender", "user", "name", "by"];
const SAID = ["text", "content", "message", "said", "body", "utterance"];
const DATED = [
  "date",
  "day",
  "datetime",
  "date_time",
  "session_date",
  "timestamp",
  "time",
  "at",
  "when",
];
const EPISODE = ["goal", "action", "result", "outcome", "reflection"];
const TURNS = ["turns", "messages", "dialogue", "conversation"];
const CODE_FILE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|rb|php|sh|sql|lua|scala|zig)$/i;
const SPOKEN_LINE = /^(?:[[(]([^\])]{4,40})[\])]\s*)?(\p{Lu}[\p{L}\p{N} .'-]{0,30}):\s+(\S.*)$/u;

export function memoryContentOf(path: string, data: Json, day?: number): MemoryContent {
  const dated = dayIn(path) ?? day;
  if (typeof data === "string") return textContent(path, data, dated);
  if (Array.isArray(data)) return turnsOf(data, dated) ?? plain(flatText(data), dated);
  if (data === null || typeof data !== "object") return plain(String(data), dated);
  return objectContent(data, dated);
}

function objectContent(
  data: { readonly [key: string]: Json },
  day: number | undefined,
): MemoryContent {
  const own = dayOfObject(data) ?? day;
  const ingested = ingestedContent(data, own); // MEMORY-CONTENT-3
  if (ingested !== undefined) return ingested;
  const fact = readFact(data);
  if (fact !== undefined) return factContent(fact, day);
  if (EPISODE.filter((key) => data[key] !== undefined).length >= 2)
    return { kind: "episode", passages: [passage(flatText(data), { day: own })] };
  const turns = TURNS.map((key) => data[key]).find((value) => Array.isArray(value));
  const split = turns === undefined ? undefined : turnsOf(turns as readonly Json[], own);
  if (split !== undefined) return split;
  const turn = turnOf(data, own);
  return turn === undefined ? plain(flatText(data), own) : { kind: "dialogue", passages: [turn] };
}

/** The subject is its heading; what else is known of it is not searched. */
const factContent = (fact: Fact, day: number | undefined): MemoryContent => ({
  kind: "document",
  passages: [
    {
      ...passage(fact.text, { day }),
      ...(fact.subject === undefined ? {} : { head: fact.subject }),
    },
  ],
  fact,
});

/** A text or the turns of a conversation, and where they come from; a mail has an author and a title, too. */
function ingestedContent(
  data: { readonly [key: string]: Json },
  day: number | undefined,
): MemoryContent | undefined {
  const { source, text, turns, title, author } = data;
  if (source === null || typeof source !== "object" || Array.isArray(source)) return undefined;
  const { file } = source as { readonly [key: string]: Json };
  if (typeof file !== "string") return undefined;
  if (Array.isArray(turns)) return turnsOf(turns, day);
  if (typeof text !== "string") return undefined;
  const split = textContent(file, text, day);
  if (typeof title !== "string" && typeof author !== "string") return split;
  return {
    kind: typeof author === "string" ? "dialogue" : split.kind,
    passages: split.passages.map((one) => ({
      ...one,
      head: [typeof title === "string" ? title : "", one.head ?? ""].filter(Boolean).join(" › "),
      ...(typeof author === "string" ? { author } : {}),
    })),
  };
}

function textContent(path: string, text: string, day: number | undefined): MemoryContent {
  if (CODE_FILE.test(path)) return { kind: "code", passages: splitCode(text, path) };
  const turn = spokenLine(text, day);
  if (turn !== undefined && !text.includes("\n")) return { kind: "dialogue", passages: [turn] };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const spoken = lines.length < 3 ? [] : lines.map((line) => spokenLine(line, day));
  if (lines.length >= 3 && spoken.every((line) => line !== undefined))
    return { kind: "dialogue", passages: spoken as Passage[] };
  const sections = splitDocument(text).map((one) => ({
    ...one,
    ...(day === undefined ? {} : { day }),
  }));
  return {
    kind: "document",
    passages: sections.length === 0 ? [passage(text, { day })] : sections,
  };
}

function turnsOf(data: readonly Json[], day: number | undefined): MemoryContent | undefined {
  if (data.length === 0) return undefined;
  const turns = data.map((one) =>
    typeof one === "string"
      ? spokenLine(one, day)
      : one !== null && typeof one === "object" && !Array.isArray(one)
        ? turnOf(one as { readonly [key: string]: Json }, day)
        : undefined,
  );
  return turns.every((turn) => turn !== undefined)
    ? { kind: "dialogue", passages: turns as Passage[] }
    : undefined;
}

function turnOf(
  data: { readonly [key: string]: Json },
  day: number | undefined,
): Passage | undefined {
  const author = firstText(data, AUTHOR);
  const text = firstText(data, SAID);
  if (author === undefined || text === undefined) return undefined;
  const more = ["caption", "blip_caption", "image_caption"].flatMap(
    (key) => textOf(data[key]) ?? [],
  );
  const { line } = data;
  return {
    ...passage([text, ...more].join("\n"), { author, day: dayOfObject(data) ?? day }),
    ...(typeof line === "number" ? { line } : {}),
  };
}

function spokenLine(line: string, day: number | undefined): Passage | undefined {
  const match = SPOKEN_LINE.exec(line.trim());
  if (match === null) return undefined;
  const [, when, author, text] = match;
  return passage(text!, { author: author!, day: (when && datesIn(when)[0]?.from) || day });
}

const passage = (
  text: string,
  more: { readonly author?: string; readonly day?: number | undefined },
): Passage => ({
  text,
  ...(more.author === undefined ? {} : { author: more.author }),
  ...(more.day === undefined ? {} : { day: more.day }),
});

const plain = (text: string, day: number | undefined): MemoryContent => ({
  kind: "document",
  passages: [passage(text, { day })],
});

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

const firstText = (data: { readonly [key: string]: Json }, keys: readonly string[]) =>
  keys.map((key) => textOf(data[key])).find((value) => value !== undefined);

function dayOfObject(data: { readonly [key: string]: Json }): number | undefined {
  const text = firstText(data, DATED);
  return text === undefined ? undefined : datesIn(text)[0]?.from;
}

const dayIn = (path: string): number | undefined => {
  const [date] = datesIn(path.replaceAll(/[_/]/g, " "));
  return date !== undefined && date.from === date.to && date.from > 19_000_000
    ? date.from
    : undefined;
};

/** Every text of a value, with the keys that lead to it. */
export function flatText(value: Json): string {
  if (typeof value === "string") return value;
  if (value === null || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(flatText).join("\n");
  return Object.entries(value)
    .map(([key, one]) => `${key}: ${flatText(one as Json)}`)
    .join("\n");
}
