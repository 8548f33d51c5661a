import { stripVTControlCharacters } from "node:util";
import type { CausesReport } from "@aos/protocol/words";
import { expect, test } from "vitest";
import { causesReportOf } from "../../../tests/helpers/cli/moments.ts";
import { whyText } from "./why-text.ts";

const said = (more: Partial<CausesReport>): string[] =>
  stripVTControlCharacters(whyText(causesReportOf(more))).split("\n");

const refusal: NonNullable<CausesReport["decision"]> = {
  pid: "agt_a",
  seq: 1,
  call: "exec",
  args: { tool: "look" },
  outcome: "refused",
  code: "EACCES",
  message: "no capability",
  detail: {
    check: "capability",
    nearest: "tool:see:call",
    grant: ["tool:look:call"],
    givers: ["operator"],
  },
  label: "trusted/public",
  touches: [{ kind: "tool", resource: "look", verb: "call" }],
  blocks: [],
};

test("an end says its code, its error with the hint, and the refusal that it came from", () => {
  const lines = said({
    error: { code: "EACCES", message: "no capability", hint: "ask for it" },
    decision: refusal,
  });

  expect(lines.slice(0, 3)).toEqual([
    "agt_a (writer) failed with exit code 96",
    "EACCES: no capability",
    "hint: ask for it",
  ]);
  expect(lines).toEqual(
    expect.arrayContaining([
      "Refused at record 1",
      "  call         exec look 1",
      "  touches      tool:look:call",
      "  check        capability",
      "  nearest      tool:see:call",
      "  would allow  tool:look:call",
      "  given by     operator",
    ]),
  );
  expect(lines.join("\n")).not.toContain("said ");
});

test("a refusal that it went on after is said in its own words", () => {
  expect(said({ decision: refusal })).toContainEqual("  said         EACCES: no capability");
});

test("a call that passed says by what, and each grant once", () => {
  const grant = { block: "b", capability: "tool:look:call", handle: "cap_1", by: "alice" };
  const given = { ...grant, givenAt: "2026-01-01T12:00:00.000Z", reason: "today" };

  const lines = said({
    seq: 1,
    links: causesReportOf().links.slice(1),
    summary: "exec look 1: done",
    decision: { ...refusal, outcome: "allowed", code: undefined, message: undefined } as never,
    grants: [given, { ...given, block: "c" }],
  });

  expect(lines[1]).toBe("record 1: exec look 1: done");
  expect(lines).toContain("Decided: allowed");
  expect(lines.filter((line) => line.includes("allowed by"))).toEqual([
    "  allowed by  tool:look:call (cap_1, by alice, 2026-01-01T12:00:00Z: today)",
  ]);
});

test("the chain is cut to a terminal, the error is not", () => {
  const error = { code: "EACCES" as const, message: "no capability ".repeat(5).trim() };

  const lines = stripVTControlCharacters(whyText(causesReportOf({ error }), 20)).split("\n");

  expect(lines).toContain(`EACCES: ${error.message}`);
  expect(lines).toContain("  ● 2 failed with e…");
});

test("one that waits says for what and whose word", () => {
  const waitsFor = [{ question: "q_1", rule: "kernel/ask-pay" }] as never;

  const lines = said({ state: "waiting", waitingOn: "approval", exitCode: null, waitsFor });

  expect(lines[0]).toBe("agt_a (writer) is waiting, for a person");
  expect(lines).toContain("asked: q_1, by the rule kernel/ask-pay");
});

test("the read that made it RED, the dearest calls and the next commands are named", () => {
  const made = [{ seq: 3, label: "untrusted/public", colour: "RED" as const, what: "exec page" }];
  const costly = { what: "infer lab/x", usd: 0.25, tokens: 50, inputTokens: 20, outputTokens: 30 };
  const calls = Array.from({ length: 7 }, (_, seq) => ({ seq, ...costly }));

  const lines = said({
    label: { text: "untrusted/public", colour: "RED", made },
    cost: { usd: 2, tokens: 350, calls, leftOut: 2 },
    next: [{ command: "aos debug agt_a", why: "step through" }],
  });

  expect(lines).toContain("  since record 3: untrusted/public (RED) by exec page");
  expect(lines).toContain("  record 0: infer lab/x, $0.2500, 20 tokens in, 30 out");
  expect(lines).toContain("  … and 4 more calls");
  expect(lines.slice(-3)).toEqual(["Next", "  aos debug agt_a", "    step through"]);
});
