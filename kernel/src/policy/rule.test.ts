import { describe, expect, test } from "vitest";
import { readRuleMessage } from "../policy-formats/rule-message.ts";
import { ruleTag } from "./rule.ts";
import { subject, touchFrom } from "../../../tests/helpers/kernel/policy-subject.ts";

describe("what a rule's sentence says of a call", () => {
  const exec = touchFrom("tool:file.read:call");
  const file = touchFrom("file:/work/a:read");
  const memory = touchFrom("memory:/mem/a:read");
  const host = touchFrom("http:example.com/x:get");

  test.each([
    ["{resource}", "the first that is not the tool", [exec, host, file], "example.com/x"],
    ["{resource}", "the tool when there is nothing else", [exec], "file.read"],
    ["{resource}", "the call when nothing is touched", [], "read"],
    ["{path}", "a file, wherever it stands", [exec, host, file], "/work/a"],
    ["{path}", "a path of the virtual file system", [exec, host, memory], "/mem/a"],
    ["{path}", "the resource when there is no path", [exec, host], "example.com/x"],
    ["{path}", "the call when nothing is touched", [], "read"],
    ["{tool}", "the call when there is no tool", [exec], "read"],
  ])("%s is %s", (text, _, touches, filled) => {
    expect(readRuleMessage(text)(subject({ touches }), "org/x")).toBe(filled);
  });

  test("200 characters are shown whole, and of more the first 200", () => {
    const say = (length: number) =>
      readRuleMessage("{agent}")(subject({ agent: "x".repeat(length) }), "org/x");

    expect(say(200)).toBe("x".repeat(200));
    expect(say(201)).toBe(`${"x".repeat(200)}…`);
  });
});

test("a mark is written the same forever: it is in the labels of the record", () => {
  expect(ruleTag("org", "after-crm")).toBe("org.after-crm");
  expect(ruleTag("project:/a_b.c", "x")).toBe("project_3a__2f_a_5f_b_2e_c.x");
});
