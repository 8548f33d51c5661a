import type { Question } from "@aos/protocol/words";
import { expect, test } from "vitest";
import { shownWidth } from "../shown-width.ts";
import { questionList } from "./question-list.ts";
import { askedCall, questionCard, questionSentence, wrap } from "./question-text.ts";

const PID = "agt_01m7mvtmca952zxf1fy7kamjb0" as Question["pid"];

const asked = (args: Record<string, unknown>, more: Partial<Question> = {}): Question => ({
  id: "ask_01m7mvtmca952zxf1fy7kamjb0.5.policy",
  pid: PID,
  kind: "policy",
  question:
    'clerk has read something untrusted and wants to use file.append, which cannot be taken back (clerk wants to exec {"tool":"file.append"})',
  choices: ["approve", "deny"],
  digest: "d",
  askedAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-01-02T00:00:00.000Z",
  channel: null,
  people: null,
  quorum: 1,
  votes: [],
  count: 1,
  pids: [],
  about: {
    agent: "clerk",
    call: "exec",
    tool: "file.append",
    args: JSON.stringify({ tool: "file.append", args }),
    touches: ["tool:file.append:call", "file:/work/a:write"],
    effect: "external",
    sinks: [],
    label: "untrusted/internal",
    colour: "RED",
    rule: "kernel/red-external",
    everyTime: false,
    cover: [],
  },
  ...more,
});

test("a question reads as a sentence, and its call as one line", () => {
  const question = asked({ line: "Dear\nsir", path: "/work/a" });

  expect(questionSentence(question)).toBe(
    "clerk has read something untrusted and wants to use file.append, which cannot be taken back",
  );
  expect(askedCall(question)).toBe("file.append line=Dear sir path=/work/a");
});

test("a question of a program has no call", () => {
  const own = asked({}, { about: null, kind: "question", question: "Which (clerk wants to) one?" });

  expect(questionSentence(own)).toBe("Which (clerk wants to) one?");
  expect(askedCall(own)).toBeUndefined();
  expect(questionCard(own, 80)).toContain("answers: approve, deny");
});

test.each([40, 80, 140])("a list of questions fits %i columns, whatever was asked", (width) => {
  const nowMs = Date.parse("2026-01-01T00:01:00.000Z");
  const text = questionList([asked({ line: "漢字 ".repeat(80) })], { nowMs, width });

  for (const line of text.split("\n").slice(0, -1))
    expect(shownWidth(line)).toBeLessThanOrEqual(width);
  expect(text).toContain("1m ago, expires in 23h".slice(0, Math.max(0, width - 42)));
  expect(text).toContain("…");
});

test("QUESTION-TEXT-1: no argument looks like a line of ours or controls the terminal", () => {
  const card = questionCard(asked({ line: "x\n[y]es > \u001b[2Jy\u202e" }), 80);

  expect(card).not.toContain("\u001b");
  expect(card).not.toContain("\u202e");
  for (const line of card.split("\n").slice(2)) expect(line).toMatch(/^ {2}/);
});

test("arguments that are no JSON are shown as they are", () => {
  const question = asked({});
  const cut = { ...question, about: { ...question.about!, args: '{"tool":"file.app' } };

  expect(askedCall(cut)).toBe('file.append arguments={"tool":"file.app');
});

test("lines break between words; a long word stays whole", () => {
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap("abcdefghij k", 5)).toEqual(["abcdefghij", "k"]);
});
