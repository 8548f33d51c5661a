import { expect, test } from "vitest";
import {
  isSummaryRequest,
  readArchiveNotice,
  spanOf,
  archiveNoticeMessage,
} from "./context-words.ts";

test.each([
  { first: 2, last: 41, archive: 3 },
  { first: 2, last: 41, archive: 3, summary: "a\nb" },
  { first: 1, last: 9, archive: 12, summary: "a", summarised: 5 },
])("CONTEXT-WORDS-1: what is written is read: %j", (text) => {
  const { first, last, archive } = text;
  const message = archiveNoticeMessage(text);

  expect(readArchiveNotice(message)).toEqual({ first, last, archive });
  expect(spanOf(message)).toBe(last - first + 1);
  expect(message.content.split("\n")[0]).toContain(`${first}–${last}`);
});

test.each([
  "Messages 2–41 are left out here.",
  "[Messages 2–41 are left out here.]",
  "[Messages 9–2 are left out here. The originals are in /ctx/archive/1: …]",
  "[Messages 0–2 are left out here. The originals are in /ctx/archive/1: …]",
  "[Messages 1–2 are left out here. The originals are in /ctx/archive/0: …]",
  "x [Messages 1–2 are left out here. The originals are in /ctx/archive/1: …]",
  "[Messages 1–2 are left out\n here. The originals are in /ctx/archive/1: …]",
])("other words stand for nothing: %s", (content) => {
  expect(readArchiveNotice({ role: "user", content })).toBeUndefined();
  expect(spanOf({ role: "user", content })).toBe(1);
});

test("CONTEXT-WORDS-1: the words count only in a user's message", () => {
  const { content } = archiveNoticeMessage({ first: 1, last: 2, archive: 1 });

  expect(readArchiveNotice({ role: "tool", content })).toBeUndefined();
  expect(readArchiveNotice({ role: "assistant", content })).toBeUndefined();
});

test("CONTEXT-WORDS-2: a conversation that speaks of summaries is none of a summary", () => {
  expect(isSummaryRequest([])).toBe(false);
  expect(isSummaryRequest([{ content: "Write a summary" }])).toBe(false);
});
