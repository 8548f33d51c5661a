import { describe, expect, test } from "vitest";
import { readTests } from "./test-file.ts";

const sound = (more = "", expected = "{ exitCode: 0 }") =>
  `tests:\n  - name: it\n    agent: x\n${more}    expect: ${expected}\n`;

const refusal = (text: string): string => {
  try {
    readTests(text, "t.test.yaml");
    return "nothing";
  } catch (error) {
    return (error as Error).message;
  }
};

test("a test says where it is, and has 30 seconds, its own workspace and a person who says no", () => {
  const [written] = readTests(sound(), "/a/b/t.test.yaml");

  expect(written).toMatchObject({
    file: "/a/b/t.test.yaml",
    folder: "/a/b",
    test: { name: "it", timeout: 30_000, workspace: "own", approvals: "deny", real: [], tools: {} },
  });
});

test("short spellings mean the long ones", () => {
  const [short] = readTests(
    sound("", "{ calls: [a], refused: [b], output: { contains: c } }"),
    "t",
  );
  const long =
    "{ calls: { exactly: [{ tool: a }] }, refused: { exactly: [{ tool: b }] }, output: { contains: [c] } }";

  expect(short?.test).toEqual(readTests(sound("", long), "t")[0]?.test);
});

describe("refused with its line is", () => {
  test.each([
    ["a file without tests", "{}", "t.test.yaml:1: tests: is missing"],
    ["no test", "tests: []", "t.test.yaml:1: tests: "],
    [
      "an unknown field",
      sound("    inptu: x\n"),
      "4: tests[0].inptu: unknown field; did you mean input?",
    ],
    [
      "a test without expectations",
      "tests:\n  - { name: it, agent: x }",
      "2: tests[0].expect: is missing",
    ],
    [
      "expectations that are none",
      sound("", "{}"),
      "4: tests[0].expect: expects nothing, and so could not fail",
    ],
    [
      "an unknown expectation",
      sound("", "{ exitcode: 0 }"),
      "exitcode: unknown field; did you mean exitCode?",
    ],
    [
      "an output that expects nothing",
      sound("", "{ output: {} }"),
      "expect.output: expects nothing",
    ],
    [
      "a list of calls that expects nothing",
      sound("", "{ calls: {} }"),
      "expect.calls: expects nothing",
    ],
    [
      "refusals that expect nothing",
      sound("", "{ refused: {} }"),
      "expect.refused: expects nothing",
    ],
    ["a cost that expects nothing", sound("", "{ cost: {} }"), "expect.cost: expects nothing"],
    ["an error that expects nothing", sound("", "{ error: {} }"), "expect.error: expects nothing"],
    ["a file that expects nothing", sound("", "{ files: { /work/x: {} } }"), "expects nothing"],
    [
      "an unknown part of a call",
      sound("", "{ calls: [{ tool: a, agrs: 1 }] }"),
      "agrs: unknown field; did you mean args?",
    ],
    [
      "a call without a name",
      sound("", "{ calls: [{ args: 1 }] }"),
      "name either a tool or a call",
    ],
    [
      "a system call among all calls",
      sound("", "{ calls: [{ call: spawn }] }"),
      "put it under includes or excludes",
    ],
    [
      "an unknown code",
      sound("", "{ refused: [{ tool: a, code: ENOPE }] }"),
      "tests[0].expect.refused",
    ],
    ["a file elsewhere", sound("    files: { /etc/x: y }\n"), "a file of a test is below /work/"],
    [
      "an expected file elsewhere",
      sound("", "{ files: { /etc/x: { absent: true } } }"),
      "a file of a test is below /work/",
    ],
    [
      "a schema with what is not checked",
      sound("", "{ output: { matches: { type: string, format: email } } }"),
      "expect.output.matches.format: format is a constraint that is not checked",
    ],
    [
      "a label of the input",
      sound("    label: green\n"),
      '4: tests[0].label: there is no label "green"',
    ],
    [
      "an expected label",
      sound("", "{ label: green }"),
      "tests[0].expect.label: there is no label",
    ],
    [
      "a label of a tool",
      sound("    tools: { a: { effect: read, return: 1, label: green } }\n"),
      "tests[0].tools.a.label: there is no label",
    ],
    [
      "a label of an answer",
      sound("    tools: { a: { answers: [{ return: 1, label: green }] } }\n"),
      "tests[0].tools.a.answers[0].label",
    ],
    [
      "a label of a message",
      sound("    messages: [{ body: 1, label: green }]\n"),
      "tests[0].messages[0].label",
    ],
    [
      "a fake that answers nothing",
      sound("    tools: { a: { effect: read } }\n"),
      "a fake needs exactly one of answers, return and error",
    ],
    [
      "a fake that answers twice",
      sound("    tools: { a: { return: 1, error: { code: EINVAL } } }\n"),
      "a fake needs exactly one of answers, return and error",
    ],
    [
      "an unknown field of a fake",
      sound("    tools: { a: { return: 1, efect: read } }\n"),
      "tests[0].tools.a.efect: unknown field; did you mean effect?",
    ],
    [
      "an answer that is none",
      sound("    tools: { a: { answers: [{ when: {} }] } }\n"),
      "an answer needs either return or error",
    ],
    ["two models", sound("    model: a\n    replay: b\n"), "only one of model, script and replay"],
    [
      "recorded requests without a recording",
      sound("    model: a\n", "{ requests: recorded }"),
      "only a replay has recorded requests",
    ],
    [
      "a word that nobody says",
      sound("    approvals: [{ tool: a, answer: alow }]\n"),
      "tests[0].approvals[0].answer: is allow or deny; did you mean allow?",
    ],
    [
      "an answer to nothing",
      sound("    approvals: [{ answer: allow }]\n"),
      "name a tool, a call, a rule or a question",
    ],
    [
      "a time without a unit",
      sound("    timeout: 30\n"),
      "tests[0].timeout: a duration needs a unit",
    ],
    [
      "the folder of another's manifest",
      sound("    folder: ..\n"),
      "is for a manifest that is written into the test",
    ],
    [
      "a name twice",
      `${sound()}  - { name: it, agent: y, expect: { exitCode: 0 } }\n`,
      "5: tests[1].name: another test of this file has this name",
    ],
    ["what is no YAML", "tests: [", "t.test.yaml:1: "],
  ])("%s", (_, text, told) => {
    expect(refusal(text)).toContain(told);
    expect(refusal(text)).toContain("t.test.yaml:");
  });
});
