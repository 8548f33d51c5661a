import { stripVTControlCharacters } from "node:util";
import type { CauseLink, PersonsStatement } from "@aos/protocol/words";
import { expect, test } from "vitest";
import { causeTree } from "./cause-tree.ts";
import { causeLink, startCauseLink } from "../../../tests/helpers/cli/moments.ts";

const drawn = (links: CauseLink[], leftOut = 0): string[] =>
  causeTree({ links, leftOut }).map(stripVTControlCharacters);

test("one process is one line of records, the nearest first, to who began it", () => {
  expect(drawn([causeLink(2), causeLink(1), startCauseLink()])).toEqual([
    "● 2 exec look 2 → done",
    "├ 1 exec look 1 → done",
    "└ 0 start agent hi ← operator",
  ]);
});

test("what people said, what was read, what decided and what it cost stand below", () => {
  const word: PersonsStatement = {
    question: "q_1",
    kind: "policy",
    rule: "kernel/ask-pay",
    askedAt: "2026-01-01T12:00:00.000Z",
    answer: "approve",
    answeredBy: "bob",
    answeredAt: "2026-01-01T12:00:03.000Z",
    votes: [{ person: "bob", choice: "approve", at: "2026-01-01T12:00:03.000Z", reason: "once" }],
  };
  const paid = causeLink(2, { people: [word], verdict: "approved by bob", usd: 0.5, tokens: 7 });
  const read = causeLink(1, { label: "untrusted/public", verdict: "shadow: deny" });

  expect(drawn([paid, read, startCauseLink()])).toEqual([
    "● 2 exec look 2 → done",
    "│   bob said approve at 12:00:03 (kernel/ask-pay, q_1): once",
    "│   $0.5000, 7 tokens",
    "├ 1 exec look 1 → done",
    "│   shadow: deny",
    "│   label from here on: untrusted/public (RED)",
    "└ 0 start agent hi ← operator",
  ]);
});

test("what nobody answered is said as that", () => {
  const word = {
    question: "q_1",
    rule: null,
    answer: null,
    votes: [],
    askedAt: "2026-01-01T12:00:00Z",
  };

  expect(drawn([causeLink(1, { people: [word as never] }), startCauseLink()])[1]).toBe(
    "│   asked at 12:00:00 (q_1): nobody answered",
  );
});

test("the line of another process stands beside what came from it, once", () => {
  const other = { pid: "agt_b", agent: "sayer" };
  const heard = causeLink(2, { what: "receive {}", from: ["agt_a#1", "agt_b#1"] });
  const again = causeLink(1, { what: "receive {}", from: ["agt_a#0", "agt_b#1"] });

  const lines = drawn([
    heard,
    again,
    startCauseLink(),
    causeLink(1, { ...other, id: "agt_b#1", what: "send", from: ["agt_b#0"] }),
    startCauseLink({ ...other, id: "agt_b#0", what: "start sayer" }),
  ]);

  expect(lines).toEqual([
    "● 2 receive {} → done",
    "│   ← agt_b#1 (sayer)",
    "│   ● 1 send → done",
    "│   └ 0 start sayer ← operator",
    "├ 1 receive {} → done",
    "│   ← agt_b#1 (sayer)",
    "└ 0 start agent hi ← operator",
  ]);
});

test("CAUSE-TREE-1: plain calls far away are folded, and counted; what tells something is not", () => {
  const links = Array.from({ length: 20 }, (_, nth) => causeLink(20 - nth));
  links[10] = causeLink(10, { code: "EACCES", came: "EACCES: no" });

  const lines = drawn([...links, startCauseLink()], 7);

  expect(lines.slice(6)).toEqual([
    "├ … 4 more calls",
    "├ 10 exec look 10 → EACCES: no",
    "├ … 9 more calls",
    "└ 0 start agent hi ← operator",
    "… and 7 more intermediate records",
  ]);
});

test("two plain calls are not worth folding", () => {
  const links = Array.from({ length: 8 }, (_, nth) => causeLink(8 - nth));

  expect(drawn([...links, startCauseLink()])).toHaveLength(9);
});

test("what an agent said moves no cursor", () => {
  const words = causeTree({
    links: [causeLink(1, { what: "x\u001b[2J", came: "\u202e" })],
    leftOut: 0,
  });

  expect(words.join("")).not.toContain("\u001b[2J");
  expect(words.join("")).not.toContain("\u202e");
});
