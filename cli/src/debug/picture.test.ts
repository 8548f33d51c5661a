import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { renderStepper } from "./picture.ts";
import { firstStep, type Stepper } from "./stepper.ts";
import {
  callRecord,
  testMoment,
  processDetailForTest,
  startRecord,
} from "../../../tests/helpers/cli/moments.ts";

const records = [startRecord, ...Array.from({ length: 60 }, (_, nth) => callRecord(nth + 1))];
const step = firstStep(processDetailForTest(), records);
const there = { ...step, moment: testMoment(callRecord(60)) };
const size = { columns: 100, rows: 30 };

const drawn = (of: Stepper, on = size) => renderStepper(of, on).map(stripVTControlCharacters);

test("it has the process, the label, the budget, the journal and the record", () => {
  const lines = drawn(there);

  expect(lines[0]).toBe("aos debug  agt_a  writer  failed 96  record 60 of 0 to 60");
  expect(lines[1]).toBe("had read untrusted/public (RED)  spent $0.0050 of $1.0000, 50 tokens");
  expect(lines.filter((line) => line.startsWith(">"))).toEqual([
    expect.stringMatching(/^> +60 .*exec/),
  ]);
  expect(lines).toContain("The record");
  expect(lines).toContain("kind: call");
});

test.each([
  { columns: 40, rows: 12 },
  { columns: 200, rows: 50 },
  { columns: 1, rows: 1 },
])("it fits $columns × $rows", (on) => {
  const lines = drawn(there, on);

  expect(lines).toHaveLength(on.rows);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(on.columns);
});

test.each([0, 30, 60])("DEBUG-PICTURE-1: record %i is seen by who stands at it", (at) => {
  const here = drawn({ ...step, at }).filter((line) => line.startsWith(">"));

  expect(here).toHaveLength(1);
  expect(here[0]).toMatch(new RegExp(`^> +${at} `));
});

test("DEBUG-PICTURE-2: what an agent said moves no cursor", () => {
  const odd = callRecord(1, { ok: "\u202e", call: "x\u001b[2J" });
  const text = renderStepper(
    {
      ...firstStep(processDetailForTest({ agent: "\u001b[2J" }), [startRecord, odd]),
      moment: testMoment(odd),
    },
    size,
  ).join("");

  expect(text).not.toContain("\u001b[2J");
  expect(text).not.toContain("\u202e");
});

test("the last line is what is typed, what is asked, what was said, or the keys", () => {
  const foot = (more: Partial<Stepper>) => drawn({ ...step, ...more }).at(-1);

  expect(foot({})).toContain("q leave");
  expect(foot({ typing: { for: "g", text: "12" } })).toBe("go to record: 12_");
  expect(foot({ typing: { for: "/", text: "" }, sought: "x" })).toBe("search (x): _");
  expect(foot({ asking: { do: "fork", at: 4 } })).toContain("Continue from record 4 in a fork?");
  expect(foot({ asking: { do: "continue", n: 4, result: null } })).toContain(
    "your result for call 4?",
  );
  expect(foot({ word: "replayed" })).toBe("replayed");
});

test("a fork says whose it is; a pane has its own text, from where it was scrolled to", () => {
  const forked = processDetailForTest({ forkedFrom: { pid: "agt_z", at: 3 } });
  const lines = drawn({
    ...step,
    process: forked,
    pane: "context",
    text: "one\ntwo\nthree",
    scroll: 2,
  });

  expect(lines[0]).toContain("fork of agt_z at 3");
  expect(lines[lines.indexOf("What its model was shown") + 1]).toBe("three");
});
