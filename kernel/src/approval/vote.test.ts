import { expect, test } from "vitest";
import type { QuestionRow } from "../store/rows.ts";
import { votesNeeded, shownDigest, voteText } from "./vote.ts";

const vote = { question: "q", person: "ann", choice: "approve", reason: null, at: 5 };

test("what is signed changes with every part of a vote (VOTE-1)", () => {
  const other = [
    voteText({ ...vote, question: "r" }, "d"),
    voteText({ ...vote, person: "bob" }, "d"),
    voteText({ ...vote, choice: "deny" }, "d"),
    voteText({ ...vote, reason: "" }, "d"),
    voteText({ ...vote, at: 6 }, "d"),
    voteText(vote, "e"),
  ];

  expect(new Set([voteText(vote, "d"), ...other]).size).toBe(7);
});

test("one no is enough to a decision; every other choice needs the quorum (VOTE-2)", () => {
  expect(votesNeeded({ kind: "policy", quorum: 3 }, "approve")).toBe(3);
  expect(votesNeeded({ kind: "policy", quorum: 3 }, "deny")).toBe(1);
  expect(votesNeeded({ kind: "proposal", quorum: 2 }, "deny")).toBe(1);
  expect(votesNeeded({ kind: "question", quorum: 2 }, "deny")).toBe(2);
  expect(votesNeeded({ kind: "doubt", quorum: 1 }, "retry")).toBe(1);
});

test("the digest of what is shown covers all that a person decides by, and not the answer", () => {
  const row: QuestionRow = {
    id: "q",
    tenant: 1,
    process: 1,
    pid: "agt_1",
    n: 1,
    kind: "policy",
    question: "?",
    choices: ["approve", "deny"],
    digest: "d",
    askedAt: 1,
    expiresAt: 2,
    answer: null,
    reason: null,
    answeredBy: null,
    answeredAt: null,
    channel: null,
    quorum: 1,
    batch: "b",
    joined: false,
    about: { colour: "BLUE" },
  };
  const changed: Partial<QuestionRow>[] = [
    { id: "r" },
    { pid: "agt_2" },
    { kind: "proposal" },
    { question: "!" },
    { choices: ["approve"] },
    { digest: "e" },
    { channel: "desk" },
    { quorum: 2 },
    { about: { colour: "RED" } },
  ];

  const digests = changed.map((more) => shownDigest({ ...row, ...more }));

  expect(new Set([shownDigest(row), ...digests]).size).toBe(changed.length + 1);
  expect(shownDigest({ ...row, answer: "approve", answeredBy: "ann", answeredAt: 9 })).toBe(
    shownDigest(row),
  );
});
