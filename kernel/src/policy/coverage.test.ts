import { expect, test } from "vitest";
import { decideWith, touchFrom } from "../../../tests/helpers/kernel/policy-subject.ts";

const rest = { id: "rest", allow: "*" };

test("a rule that allows a call by its sinks is the one that is named and counted", () => {
  const verdict = decideWith([{ id: "out", allow: "sink:egress", rate: "1/h" }], {
    tool: "http.post",
    sinks: ["egress"],
  });

  expect(verdict).toMatchObject({ effect: "allow", rule: "org/out", rates: [{ count: 1 }] });
});

// The path cannot be read, so the rule may speak of the call and covers nothing of it for sure.
test.each(["sink:egress", "write", "tool:crm.*", "model:a/*", "effect:external"])(
  "a rule for files and %s does not count for a file that cannot be read",
  (other) => {
    const rule = { id: "f", allow: ["file:/work/**", other], rate: "1/h" };
    const touches = [touchFrom("file:/work/../etc/passwd:read")];

    expect(decideWith([rule, rest], { tool: "file.read", touches })).toMatchObject({
      effect: "allow",
      rule: "org/rest",
      rates: [],
    });
    expect(decideWith([rule], { tool: "file.read", touches }).effect).toBe("deny");
  },
);
