import { evalScorer, type EvalInput, type EvalRun, type Json } from "@aos/protocol";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { thresholdsOf, variantReports } from "./report.ts";
import { compareRuns } from "./comparison.ts";
import { scoreCell } from "./score.ts";

const ran = (more: Partial<EvalRun> = {}): EvalRun => ({
  pid: "agt_1",
  state: "completed",
  exitCode: 0,
  output: "Paris",
  error: null,
  label: "trusted/public",
  usd: 0.01,
  tokens: 10,
  latencyMs: 1200,
  steps: 2,
  calls: [],
  ...more,
});

const inputWith = (scorers: readonly object[], expected: Json = "Paris"): EvalInput =>
  ({
    name: "x",
    variants: [{ name: "v", agent: "a", model: null }],
    cases: [
      { id: "c", input: "?", expected, tags: [], fields: { country: "France", expected } },
      { id: "d", input: "?", expected, tags: [], fields: {} },
    ],
    scorers: scorers.map((one) => evalScorer.parse(one)),
    repeat: 1,
  }) as unknown as EvalInput;

function scored(scorer: object, run: Partial<EvalRun> = {}, expected: Json = "Paris") {
  const cell = scoreCell(inputWith([scorer], expected), 0, { run: ran(run), verdicts: {} });
  return cell.scores[0]?.score;
}

describe("scorers", () => {
  test.each<[object, Partial<EvalRun>, Json, number | null]>([
    [{ type: "exact" }, { output: " Paris\n" }, "Paris", 1],
    [{ type: "exact" }, { output: "paris" }, "Paris", 0],
    [{ type: "exact", ignoreCase: true }, { output: "paris" }, "Paris", 1],
    [{ type: "exact" }, { output: '{"b": 1, "a": [2]}' }, { a: [2], b: 1 }, 1],
    [{ type: "exact", field: "city.name" }, { output: { city: { name: "Paris" } } }, "Paris", 1],
    [{ type: "exact", field: "constructor" }, { output: {} }, "Paris", 0],
    [{ type: "exact", value: "in {{country}}" }, { output: "in France" }, null, 1],
    [{ type: "contains" }, { output: "It is Paris." }, "Paris", 1],
    [{ type: "contains", value: ["is", "Rome"] }, { output: "It is Paris." }, null, 0],
    [{ type: "contains", value: ["is", "Rome"], any: true }, { output: "It is Paris." }, null, 1],
    [{ type: "contains", value: "sorry", not: true }, { output: "sorry" }, null, 0],
    [{ type: "regex", pattern: "^p\\w+$", flags: "i" }, {}, null, 1],
    [{ type: "regex", pattern: "\\d", not: true }, {}, null, 1],
    [
      { type: "schema", schema: { type: "object", required: ["a"] } },
      { output: '{"a":1}' },
      null,
      1,
    ],
    [{ type: "schema", schema: { type: "object" } }, { output: "no" }, null, 0],
    [{ type: "number", tolerance: 0.1 }, { output: " 3.05 " }, 3, 1],
    [{ type: "number" }, { output: "3.05" }, 3, 0],
    [{ type: "number", relative: 0.1 }, { output: "109" }, "100", 1],
    [{ type: "number" }, { output: "three" }, 3, 0],
    [{ type: "number" }, { output: "3" }, null, null],
    [{ type: "cost", maxUsd: 0.009 }, {}, null, 0],
    [{ type: "latency", max: "2s" }, {}, null, 1],
    [{ type: "steps", max: 1 }, {}, null, 0],
    [{ type: "exit", code: 96 }, { state: "failed", exitCode: 96 }, null, 1],
    [{ type: "exact" }, { state: "failed", exitCode: 1, output: "Paris" }, "Paris", 0], // SCORE-1
  ])("%j of %j, where %j is expected, is %j", (scorer, run, expected, score) => {
    expect(scored(scorer, run, expected)).toBe(score);
  });

  test("tool calls are checked for presence, absence, order and number", () => {
    const calls = ["http.fetch", "file.write", "echo"].map((tool) => ({ tool, outcome: "ok" }));
    const refused = [...calls, { tool: "shell.execute", outcome: "refused" }];
    const of = (more: object, made = calls) => scored({ type: "calls", ...more }, { calls: made });

    expect(of({ includes: ["echo"], excludes: ["shell.execute"] })).toBe(1);
    expect(of({ excludes: ["echo"] })).toBe(0);
    expect(of({ order: ["http.fetch", "echo"] })).toBe(1);
    expect(of({ order: ["echo", "http.fetch"] })).toBe(0);
    expect(of({ only: ["http.fetch", "file.write", "echo"], max: 3 })).toBe(1);
    expect(of({ only: [] })).toBe(0);
    expect(of({ maxRefused: 0 }, refused)).toBe(0);
  });

  test("a value with braces is not read again as a template", () => {
    const cell = inputWith([{ type: "exact", value: "{{country}}" }]);
    (cell.cases[0]!.fields as Record<string, Json>)["country"] = "{{expected}}";

    const { scores } = scoreCell(cell, 0, { run: ran({ output: "{{expected}}" }), verdicts: {} });

    expect(scores[0]!.score).toBe(1);
  });

  test("what says nothing of the agent is unscored, never 0 (SCORE-2)", () => {
    const input = inputWith([{ type: "exact" }]);
    const stateOf = (run: Partial<EvalRun>) =>
      scoreCell(input, 0, { run: ran(run), verdicts: {} }).state;

    expect(stateOf({ state: "failed", exitCode: 98 })).toBe("unscored");
    expect(stateOf({ state: "killed", exitCode: 137 })).toBe("unscored");
    expect(stateOf({ state: "failed", exitCode: 66 })).toBe("failed");
    expect(stateOf({ state: "failed", exitCode: 96 })).toBe("failed");
    expect(scoreCell(input, 0, undefined).state).toBe("open");
    expect(scoreCell(input, 0, { noBudget: true, verdicts: {} }).state).toBe("no budget");
  });

  test("gates decide, and what is measured does not (SCORE-3)", () => {
    const input = inputWith([
      { type: "exact", gate: false },
      { type: "judge", model: "x/y", rubric: "good", threshold: 0.7 },
    ]);
    const judged = (score: number | null) =>
      scoreCell(input, 0, {
        run: ran({ output: "Rome" }),
        verdicts: { judge: { score, reason: "so" } },
      }).state;

    expect([judged(0.7), judged(0.6), judged(null)]).toEqual(["passed", "failed", "unscored"]);
  });
});

describe("a report", () => {
  const input = inputWith([{ type: "exact" }]);
  const rows = (outputs: readonly (string | null)[]) =>
    outputs.map((output, nth) =>
      scoreCell(input, nth, output === null ? undefined : { run: ran({ output }), verdicts: {} }),
    );

  test("counts a case once, however often it was repeated (EVAL-REPORT-1)", () => {
    const repeated = { ...input, repeat: 2 };
    const cells = ["Paris", "Rome", "Rome", "Rome"].map((output, nth) =>
      scoreCell(repeated, nth, { run: ran({ output }), verdicts: {} }),
    );
    const [report] = variantReports(repeated, cells);

    expect(report).toMatchObject({ passed: { mean: 0.25, cases: 2 }, flaky: ["c"] });
    expect(report!.passed.interval!.high).toBeGreaterThan(0.7);
  });

  test("meets a threshold only with all runs scored (EVAL-REPORT-2)", () => {
    const metBy = (outputs: readonly (string | null)[], least: number) =>
      thresholdsOf({ passed: least }, variantReports(input, rows(outputs)))[0]!.isMet;

    expect(metBy(["Paris", "Paris"], 1)).toBe(true);
    expect(metBy(["Paris", "Rome"], 0.5)).toBe(true);
    expect(metBy(["Paris", "Rome"], 0.51)).toBe(false);
    expect(metBy(["Paris", null], 0.5)).toBe(false);
  });

  test("is compared over the cases that both have scored (EVAL-COMPARISON-1)", () => {
    const run = (outputs: readonly (string | null)[]) => ({
      pid: "agt_1" as never,
      digest: "d",
      variants: ["v"],
      scorers: ["exact"],
      results: rows(outputs),
    });
    const [pair] = compareRuns(run(["Paris", "Paris"]), run(["Rome", null])).pairs;

    expect(pair).toMatchObject({ regressed: ["c"], fixed: [], onlyInOne: 1 });
    expect(pair!.differences[0]).toMatchObject({ cases: 1, says: "cannot tell", mean: -1 });
    expect(() => compareRuns(run([]), run([]), "v=other")).toThrow("there is no variant other");
  });

  test("has every score between 0 and 1, whatever was said", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (output, expected) => {
        const scorers = ["exact", "contains", "number"].map((type) => ({ type }));
        const cell = scoreCell(inputWith(scorers, expected as Json), 0, {
          run: ran({ output: output as Json }),
          verdicts: {},
        });
        for (const { score } of cell.scores) expect([0, 1, null]).toContain(score);
      }),
    );
  });
});
