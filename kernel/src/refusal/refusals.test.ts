import { expect, test } from "vitest";
import { decideAny } from "../capability/index.ts";
import type { Verdict } from "../policy/index.ts";
import { attemptText } from "./attempt-text.ts";
import { explainRefused, type Refusal } from "./explain.ts";
import { noCapability, noFlow, noPolicy, notTogether } from "./refusals.ts";
import { TEST_NOW, processOf } from "../../../tests/helpers/kernel/process.ts";

const LOOK = { kind: "tool", resource: "look", verb: "call" } as const;

function refusalOf(
  capabilities: string[],
  touch: { kind: string; resource: string; verb: string } = LOOK,
  parentPid: string | null = null,
) {
  const process = processOf({ capabilities, row: { parentPid } });
  const decision = decideAny(process.holdings, touch as never, TEST_NOW);
  if (decision.allow) throw new Error("it is allowed");
  return noCapability(process, touch, explainRefused(decision).reason);
}

test("no capability: what was nearest, what would do, and who may give it", () => {
  expect(refusalOf(["tool:set:call"], LOOK, "agt_5").toText()).toEqual({
    code: "EACCES",
    message: expect.stringMatching(
      /^`writer` may not call the tool look: it holds no `tool:` .+; the nearest is tool:set:call$/,
    ) as string,
    hint: expect.stringContaining(
      "aos caps grant agt_7 'tool:look:call'; the agent can propose it with `ask` and `propose`",
    ) as string,
    detail: {
      check: "capability",
      touch: LOOK,
      nearest: "tool:set:call",
      grant: ["tool:look:call"],
      givers: ["operator", "agt_5"],
    },
  });
});

test("no capability: where nothing is near, and nobody is above", () => {
  const { message, detail } = refusalOf([]);

  expect(message).toBe("`writer` may not call the tool look: it holds no `tool:` capability");
  expect(detail).toEqual({
    check: "capability",
    touch: LOOK,
    grant: ["tool:look:call"],
    givers: ["operator"],
  });
});

test("no capability: where nothing can grant it, nothing is offered", () => {
  const odd = { kind: "spell", resource: "x", verb: "cast" };
  const { hint, detail } = refusalOf(["tool:*:call"], odd);

  expect(hint).toBe("no capability can allow it");
  expect(detail).toEqual({ check: "capability", touch: odd });
});

test("a rate that is used up says when to try again", () => {
  const process = processOf({});
  const reason = {
    code: "rate",
    why: "too many",
    blockId: "",
    blockIds: [],
    smallestGrant: "x",
  } as const;

  expect(noCapability(process, LOOK, { ...reason, retryAfterMs: 12.5 }).toText()).toEqual({
    code: "EAGAIN",
    message: "`writer` may not call the tool look: too many",
    hint: "the rate limit refills: repeat the call later",
    retryAfter: 13,
    detail: { check: "capability", touch: LOOK },
  });
});

/** A refusal as explainRefused() finds it. */
const reasonOf = (more: Partial<Refusal>): Refusal => ({
  code: "absent",
  why: "it holds nothing",
  blockId: "birth",
  blockIds: ["birth"],
  smallestGrant: "tool:look:call",
  ...more,
});

test("a call without a price is refused for its price, and only where a limit of money refuses", () => {
  const process = processOf({});

  expect(
    noCapability(process, LOOK, reasonOf({ code: "usd" }), { unpriced: true }).message,
  ).toContain("price");
  for (const [code, worst] of [
    ["absent", { unpriced: true }],
    ["usd", {}],
  ] as const)
    expect(noCapability(process, LOOK, reasonOf({ code }), worst as never)).toMatchObject({
      code: "EACCES",
    });
});

test.each([
  ["expires", true],
  ["expired", true],
  ["absent", undefined],
] as const)("a grant that is over is marked as lapsed: %s", (code, lapsed) => {
  expect(noCapability(processOf({}), LOOK, reasonOf({ code })).toText().detail).toMatchObject({
    check: "capability",
  });
  expect(
    (noCapability(processOf({}), LOOK, reasonOf({ code })).detail as { lapsed?: true }).lapsed,
  ).toBe(lapsed);
});

test("only a process that an operator started is told to change its manifest", () => {
  const ofManifest = reasonOf({ blockId: "agt_7.0" });
  const own = processOf({ row: { parentPid: null } });
  const child = processOf({ row: { parentPid: "agt_5" } });

  expect(noCapability(own, LOOK, ofManifest)).toMatchObject({
    message: "`writer` may not call the tool look: its manifest grants no `tool:` capability",
    hint: expect.stringMatching(
      /^add 'tool:look:call' to `capabilities` in its manifest/,
    ) as string,
  });
  expect(noCapability(child, LOOK, ofManifest)).toMatchObject({
    message: "`writer` may not call the tool look: it holds nothing",
    hint: expect.stringMatching(/^its parent agt_5 can grant tool:look:call/) as string,
  });
  expect(noCapability(own, LOOK, reasonOf({ blockId: "agt_7.1" })).message).toContain(
    "it holds nothing",
  );
  expect(noCapability(own, LOOK, { ...ofManifest, code: "max" }).message).toContain(
    "it holds nothing",
  );
});

test("what the ceiling of the tenant refuses is no grant's to give: only the operator can raise it", () => {
  const over = reasonOf({ ceilingOf: "acme" });
  const expected = { check: "capability", ceiling: "acme", touch: LOOK };

  expect(noCapability(processOf({}), LOOK, over).toText()).toMatchObject({
    code: "EACCES",
    hint: "only the operator of this machine can raise the ceiling: aos tenant set acme --allow 'tool:look:call'",
  });
  expect(noCapability(processOf({}), LOOK, over).detail).toEqual({
    ...expected,
    raise: "tool:look:call",
  });
  const never = noCapability(processOf({}), LOOK, { ...over, smallestGrant: "" });
  expect(never.hint).toBe("no capability can allow it");
  expect(never.detail).toEqual(expected);
});

test.each([
  ["resource", "; the nearest is tool:set:call"],
  ["pin", "; the nearest is tool:set:call"],
  ["verb", ""],
] as const)(
  "the nearest capability is named where the reason does not name it: %s",
  (code, ending) => {
    const reason = reasonOf({ code, nearest: "tool:set:call" });

    expect(noCapability(processOf({}), LOOK, reason).message).toBe(
      `\`writer\` may not call the tool look: it holds nothing${ending}`,
    );
  },
);

test.each([
  [{ kind: "http", resource: "a.example/", verb: "post" }, "POST to a.example/"],
  [{ kind: "http", resource: "a.example/", verb: "get" }, "GET a.example/"],
  [{ kind: "message", resource: "agt_5", verb: "send" }, "send a message to agt_5"],
  [{ kind: "message", resource: "agt_5", verb: "forget" }, "forget agt_5"],
  [{ kind: "agent", resource: "ada", verb: "spawn" }, "spawn the agent ada"],
  [{ kind: "agent", resource: "agt_5", verb: "wait" }, "wait for agt_5"],
  [{ kind: "spell", resource: "x", verb: "cast" }, "cast spell x"],
])("an attempt is a verb phrase: %j", (touch, phrase) => {
  expect(attemptText(touch)).toBe(phrase);
});

test("one grant for several things: it is named, with how often it is needed", () => {
  const refusal = notTogether("file:/a/**:write{max:1}", 2);

  expect(refusal).toMatchObject({ code: "EACCES", detail: { nearest: "file:/a/**:write{max:1}" } });
  expect(refusal.message).toContain("file:/a/**:write{max:1} 2 times");
});

test("no policy: the rule's own words, or its name; and when a rate refills", () => {
  const call = { call: "exec" } as never;
  const verdict = { rule: "org/no", say: undefined, retryAfterMs: undefined } as unknown as Verdict;
  const detail = { check: "policy", rule: "org/no", givers: ["operator"] };

  expect(noPolicy(call, verdict).toText()).toEqual({
    code: "EPOLICY",
    message: "the policy forbids this exec call (rule org/no)",
    hint: "only a change of the policy can allow it; `aos policy show` has the rule org/no",
    detail,
  });
  expect(noPolicy(call, { ...verdict, say: "not here" }).message).toBe("not here");
  expect(noPolicy(call, { ...verdict, retryAfterMs: 0.5 }).toText()).toEqual({
    code: "EAGAIN",
    message: "the policy forbids this exec call (rule org/no)",
    retryAfter: 1,
    detail,
  });
});

test("a refused flow names the label and the way round", () => {
  const refusal = noFlow({ integrity: "untrusted", secrecy: "secret" });

  expect(refusal).toMatchObject({
    code: "EPOLICY",
    detail: { check: "labels", label: "untrusted/secret" },
  });
  expect(refusal.message).toContain("untrusted/secret");
  expect(refusal.hint).toContain("endorse");
});
