import { SysError, type Json, type PolicyFlaw } from "@aos/protocol";
import { expect, test } from "vitest";
import { problemLines } from "./problem-lines.ts";
import { readPolicyText } from "./policy-text.ts";

const POLICY = readPolicyText(
  'version: 1\nrules:\n  - id: a\n    allow: "*"\n  - id: b\n    deny: [read, raed]\n',
  "/x/policy.yaml",
  "organisation",
);
const SECURITY = readPolicyText(
  "---\nkernel:\n  mode: lax\n---\n# Words\n",
  "/x/security.md",
  "project:/x#security",
);
const refused = (...problems: PolicyFlaw[]) =>
  new SysError("EINVAL", "the policy is refused", {
    detail: { problems: problems as unknown as Json },
  });
const flaw = (origin: string, path: PolicyFlaw["path"], message: string): PolicyFlaw => ({
  origin,
  path,
  message,
});

test("each problem is placed in its own file, at the line of its field", () => {
  const error = refused(
    flaw("/x/policy.yaml", ["rules", 1, "deny", 1], "no call raed"),
    flaw("/x/security.md", ["kernel", "mode"], "no mode lax"),
    flaw("/x/policy.yaml", [], "all of it"),
  );

  expect(problemLines(error, [POLICY, SECURITY])).toEqual([
    { file: "/x/policy.yaml", line: 6, field: "rules[1].deny[1]", message: "no call raed" },
    { file: "/x/security.md", line: 3, field: "kernel.mode", message: "no mode lax" },
    { file: "/x/policy.yaml", line: 1, field: "", message: "all of it" },
  ]);
});

test("a message of several lines stays one problem", () => {
  const error = refused(flaw("/x/policy.yaml", ["rules", 0, "allow"], "bad\n  ^ here"));

  expect(problemLines(error, [POLICY])).toMatchObject([{ line: 4, message: "bad\n  ^ here" }]);
});

test("an error about something else is no problem of these files", () => {
  expect(problemLines(refused(flaw("built in", ["rules", 0], "x")), [POLICY])).toEqual([]);
  expect(problemLines(new Error("/x/policy.yaml: rules: x"), [POLICY])).toEqual([]);
});

test.each([
  ["", "is empty, and an empty policy is refused", 1],
  ["# only words\n", "is empty, and an empty policy is refused", 1],
  ["a: 1\na: 2\n", expect.stringContaining("unique"), 2],
])(
  "POLICY-TEXT-1: %j is broken, and what the kernel would get is refused there",
  (text, message, line) => {
    const read = readPolicyText(text, "p.yaml", "organisation");

    expect(read.source.document).toBeNull();
    expect(problemLines(refused(flaw("p.yaml", [], "x")), [read])).toEqual([
      { file: "p.yaml", line, field: "", message },
    ]);
  },
);
