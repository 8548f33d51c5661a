// Context words: the text that marks removed messages in a conversation, the same for programs, kernel and people.
//
//   [Summary of messages 2–41. The originals are in /ctx/archive/3: …]
//   [Messages 2–41 are left out here. The originals are in /ctx/archive/3: …]
//
// CONTEXT-WORDS-1  A stand-in is a user message that begins with such a line. Messages are numbered from 1 as they
//                  were first sent: a message that replaces forty counts as forty.
// CONTEXT-WORDS-2  A request whose first message begins with `SUMMARY_REQUEST` is no turn of the conversation.

import type { Message } from "./syscalls.ts";

export const CONTEXT = "/ctx";
export const ARCHIVE = "/ctx/archive";

/** CONTEXT-WORDS-2. */
export const SUMMARY_REQUEST = "You write the summary that takes the place of a part";

export interface ArchivedSpan {
  readonly first: number;
  readonly last: number;
  readonly archive: number;
}

export interface ArchiveNotice extends ArchivedSpan {
  /** Undefined where there is none. */
  readonly summary?: string | undefined;
  /** The last message that the summary is about, where that is not all of them. */
  readonly summarised?: number | undefined;
}

/** CONTEXT-WORDS-1. */
export function archiveNoticeMessage({
  first,
  last,
  archive,
  summary,
  summarised = last,
}: ArchiveNotice): {
  role: "user";
  content: string;
} {
  const missing =
    summarised < last ? ` (of ${summarised + 1}–${last} it says nothing: there was no room)` : "";
  const what =
    summary === undefined
      ? `Messages ${first}–${last} are left out here.`
      : `Summary of messages ${first}–${last}${missing}.`;
  const where = `The originals are in ${ARCHIVE}/${archive}: context.search finds words in all that was taken out, context.read reads it.`;
  return {
    role: "user",
    content: `[${what} ${where}]${summary === undefined ? "" : `\n\n${summary}`}`,
  };
}

const STAND_IN =
  /^\[(?:Summary of messages|Messages) (\d{1,9})–(\d{1,9})\b[^\n]*? The originals are in \/ctx\/archive\/(\d{1,9}):/;

/** What a message stands for; undefined where it is only itself. */
export function readArchiveNotice({ role, content }: Message): ArchivedSpan | undefined {
  const found = role === "user" ? STAND_IN.exec(content) : null;
  if (found === null) return undefined;
  const [first, last, archive] = found.slice(1).map(Number) as [number, number, number];
  return first >= 1 && last >= first && archive >= 1 ? { first, last, archive } : undefined;
}

/** How many messages of the conversation it is. */
export function spanOf(message: Message): number {
  const archived = readArchiveNotice(message);
  return archived === undefined ? 1 : archived.last - archived.first + 1;
}

export const isSummaryRequest = (messages: readonly Pick<Message, "content">[]): boolean =>
  messages[0]?.content.startsWith(SUMMARY_REQUEST) === true;
