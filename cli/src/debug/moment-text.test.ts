import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { momentText, recordText, spentText } from "./moment-text.ts";
import { callRecord, testMoment } from "../../../tests/helpers/cli/moments.ts";

test("it has the process, the record, the label, what was spent, and the context", () => {
  const text = stripVTControlCharacters(momentText(testMoment(callRecord(2)), "tokens  12"));

  expect(text).toContain("process   agt_a (writer)");
  expect(text).toContain("record    2 of 0 to 3");
  expect(text).toContain("had read  untrusted/public (RED)");
  expect(text).toContain("spent     $0.0050 of $1.0000, 50 tokens");
  expect(text).toContain("at: 1970-01-01T00:00:02.000Z");
  expect(text).toMatch(/tokens {2}12$/);
});

test("what a model was shown is counted, not repeated; other calls keep their messages", () => {
  const args = { model: "lab/x", messages: [{ role: "user", content: "long" }] };

  expect(recordText(callRecord(1, { call: "infer", args }))).toContain("1: see the context");
  expect(recordText(callRecord(1, { args }))).toContain("content: long");
});

test("what a call came to stands before what it was given", () => {
  const text = recordText(callRecord(1, { args: { many: 1 }, ok: "done" }));

  expect(text.indexOf("ok: done")).toBeLessThan(text.indexOf("args:"));
});

test("a limit is named where there is one", () => {
  const spent = { usd: 0, tokens: 5 };

  expect(spentText({ spent, limit: {} })).toBe("$0.0000, 5 tokens");
  expect(spentText({ spent, limit: { tokens: 9 } })).toBe("$0.0000, 5 tokens of 9");
});
