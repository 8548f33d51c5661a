import { describe, expect, test } from "vitest";
import { KINDS } from "../capability/kinds.ts";
import type { Subject } from "./subject.ts";
import { subject } from "../../../tests/helpers/kernel/policy-subject.ts";
import { isWriting } from "./writing.ts";

test.each([
  [{ tool: "t" }, false],
  [{ tool: "t", sinks: ["egress"] }, false],
  [{ tool: "t", sinks: ["write"] }, true],
  [{ tool: "t", sinks: ["destructive"] }, true],
  [{ tool: "t", effect: "idempotent" }, true],
  [{ call: "read", effect: "idempotent" }, false],
  [{ call: "read", effect: "external" }, true],
  [{ call: "read" }, false],
  [{ call: "send" }, true],
  [{ call: "request" }, true],
  [{ call: "publish" }, true],
  [{ call: "signal" }, true],
  [{ call: "spawn" }, true],
] satisfies [Partial<Subject>, boolean][])("whether %j writes is %s", (more, writes) => {
  expect(isWriting(subject(more))).toBe(writes);
});

describe("whether a call writes is known by what it touches", () => {
  const writing = new Set(
    (
      "file:write file:remove memory:write memory:remove http:post http:put http:patch http:delete " +
      "browser:click browser:fill shell:exec agent:spawn message:send message:publish signal:send"
    ).split(" "),
  );
  const verbs = Object.entries(KINDS).flatMap(([kind, row]) =>
    row.verbs.map((verb) => [kind, verb] as const),
  );

  test.each(verbs)("%s:%s", (kind, verb) => {
    const touches = [{ kind, resource: "x", verb }];

    expect(isWriting(subject({ touches }))).toBe(writing.has(`${kind}:${verb}`));
  });
});
