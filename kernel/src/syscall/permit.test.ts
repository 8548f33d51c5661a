// What a permit takes: at once, in the same turn, and for what turns up while the call runs as well.

import type { Label, Touch } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { refusalWords } from "../refusal/refusals.ts";
import { labelText } from "../label/label.ts";
import type { Process } from "../process/process.ts";
import type { Action } from "./action.ts";
import { permit, permitMore, wouldPermitMore, type JudgeRules, type Permit } from "./judge.ts";
import { currentChains } from "./capability-check.ts";
import { reachOf } from "./reach.ts";
import {
  actionOf,
  execOf,
  inferOf,
  testJudgeRules,
  TEST_NOW,
  processOf,
  thrownBy,
} from "../../../tests/helpers/kernel/process.ts";

type Under = Pick<Permit, "tags" | "covers" | "isPinned">;

const usageOf = (process: Process, i = 0) => process.block.held[i]!.usage;

function codeOf(run: () => unknown): string {
  try {
    run();
    return "ok";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

describe("permit", () => {
  const ask = (
    process: Process,
    action: Action,
    rules: JudgeRules = testJudgeRules(),
    isBegun = false,
  ) => permit(process, action, rules, TEST_NOW, isBegun);

  test("takes a use, the money that it may cost, and the quota", () => {
    const process = processOf({ capabilities: ["model:*:infer{max:9,usd:1}"] });
    const rules = testJudgeRules();

    ask(process, inferOf(process), rules);

    expect(usageOf(process)).toMatchObject({ uses: 1, microUsd: 10_000 });
    expect(rules.taken).toEqual(["infer"]);
  });

  test("what was begun is reserved again, and counted on no grant and no rule", () => {
    const rules = [{ id: "slow", allow: "infer", rate: "1/h" }];
    const process = processOf({
      capabilities: ["model:*:infer{max:9,usd:1}"],
      budget: { usd: 0.01 },
    });
    const judgeRules = testJudgeRules(rules);

    ask(process, inferOf(process), judgeRules, true);

    expect(usageOf(process)).toMatchObject({ uses: 0, microUsd: 0 });
    expect(judgeRules.policy().rates.size).toBe(0);
    expect(judgeRules.taken).toEqual(["infer"]);
    expect(codeOf(() => ask(process, inferOf(process), judgeRules, true))).toBe("EBUDGET");
  });

  test("what two calls at once may cost is reserved twice", () => {
    const process = processOf({ capabilities: ["model:*:infer"], budget: { usd: 0.02 } });
    const tries = [1, 2, 3].map(() => codeOf(() => ask(process, inferOf(process))));

    expect(tries).toEqual(["ok", "ok", "EBUDGET"]);
  });

  test("a rule's rate is used up by what it lets pass", () => {
    const process = processOf({ capabilities: ["tool:*:call"] });
    const rules = testJudgeRules([{ id: "slow", allow: "tool:look", rate: "2/h" }]);
    const tries = [1, 2, 3].map(() => codeOf(() => ask(process, execOf(process, "look"), rules)));

    expect(tries).toEqual(["ok", "ok", "EAGAIN"]);
  });

  test("what arms a sequence rule marks the process, once; other marks stay", () => {
    const label: Label = { integrity: "trusted", secrecy: "internal", tags: ["old"] };
    const process = processOf({ capabilities: ["tool:*:call"], label });
    const rules = testJudgeRules([{ id: "stays", after: "tool:look", deny: "tool:pay" }]);

    expect(ask(process, execOf(process, "set"), rules).tags).toEqual([]);
    expect(process.label).toBe(label);
    expect(ask(process, execOf(process, "look"), rules).tags).toEqual(["org.stays"]);
    expect(labelText(process.label)).toBe("trusted/internal#old,org.stays");
    expect(ask(process, execOf(process, "look"), rules).tags).toEqual([]);
    expect(codeOf(() => ask(process, execOf(process, "pay"), rules))).toBe("EPOLICY");
  });

  test("a process without marks gets none from a call that arms nothing", () => {
    const process = processOf({ capabilities: ["tool:*:call"] });

    ask(process, execOf(process, "look"));

    expect(labelText(process.label)).toBe("trusted/public");
  });

  test("a refusal takes nothing", () => {
    const process = processOf({ capabilities: ["tool:*:call{max:3}"], budget: { toolCalls: 0 } });
    const rules = testJudgeRules([{ id: "slow", allow: "tool:look", rate: "1/h" }]);

    expect(codeOf(() => ask(process, execOf(process, "look"), rules))).toBe("EBUDGET");

    expect(usageOf(process).uses).toBe(0);
    expect(rules.policy().rates.size).toBe(0);
    expect(rules.taken).toEqual([]);
  });
});

describe("permitMore", () => {
  const FILE: Touch = { kind: "file", resource: "/a", verb: "read" };
  const http = (resource: string, verb = "get"): Touch => ({ kind: "http", resource, verb });
  const NONE: Under = { tags: [], covers: undefined, isPinned: false };

  interface Tried {
    readonly capabilities?: string[];
    readonly label?: Label;
    readonly rules?: object[];
    readonly own?: Under;
    /** A person has said yes to the call, with what it may reach shown. */
    readonly isApproved?: boolean;
    readonly before?: Touch[];
  }

  const tryMore = (
    touch: Touch,
    { capabilities = [], label, rules, own = NONE, before = [], isApproved = false }: Tried,
  ) => {
    const all = ["tool:*:call", ...capabilities];
    const process = processOf({ capabilities: all, ...(label && { label }) });
    const action = { ...execOf(process, "look"), touches: before };
    const yes = { reach: reachOf(process, action), wholeCall: new Set<string>(), files: [] };
    const under = isApproved ? { ...own, covers: { ...yes, rules: new Set(["org/word"]) } } : own;
    return {
      process,
      more: permitMore(process, action, touch, under, testJudgeRules(rules), TEST_NOW),
    };
  };

  test("needs a grant for the thing itself, and counts a use of it", () => {
    const { process, more } = tryMore(FILE, { capabilities: ["file:/a:read{max:2}"] });

    expect(process.block.held.map(({ usage }) => usage.uses)).toEqual([0, 1]);
    expect(more.charges.map(({ held }) => held)).toEqual([process.block.held[1]]);
    expect(more.chains).toEqual([process.block]);
    expect(codeOf(() => tryMore(FILE, {}))).toBe("EACCES");
  });

  test("a grant that is used up is used up for it too", () => {
    const process = processOf({ capabilities: ["tool:*:call", "file:/a:read{max:1}"] });
    const again = () =>
      permitMore(process, execOf(process, "look"), FILE, NONE, testJudgeRules(), TEST_NOW);

    expect([codeOf(again), codeOf(again)]).toEqual(["ok", "EACCES"]);
  });

  test("the money of the call is counted on what it turns out to touch as well", () => {
    const capabilities = ["model:*:infer", "secret:key:use{usd:0.025}"];
    const process = processOf({ capabilities });
    const secret = { kind: "secret", resource: "key", verb: "use" };
    const again = () =>
      permitMore(process, inferOf(process), secret, NONE, testJudgeRules(), TEST_NOW);

    expect([codeOf(again), codeOf(again), codeOf(again)]).toEqual(["ok", "ok", "EACCES"]);
    expect(usageOf(process, 1).microUsd).toBe(20_000);
  });

  test("rules that speak of the thing are heard, with the thing alone", () => {
    const capabilities = ["file:/**:read"];
    const rules = [{ id: "no", deny: "file:/b" }];
    const before = [{ kind: "file", resource: "/b", verb: "read" }];

    expect(codeOf(() => tryMore(FILE, { capabilities, rules, before }))).toBe("ok");
    expect(codeOf(() => tryMore(before[0]!, { capabilities, rules }))).toBe("EPOLICY");
  });

  test("a rule's rate counts calls, and not what each of them touches", () => {
    const rules = [{ id: "slow", allow: "*", rate: "1/h" }];
    const process = processOf({ capabilities: ["tool:*:call", "file:/a:read"] });
    const judgeRules = testJudgeRules(rules);
    permit(process, execOf(process, "look"), judgeRules, TEST_NOW, false);

    expect(
      codeOf(() => permitMore(process, execOf(process, "look"), FILE, NONE, judgeRules, TEST_NOW)),
    ).toBe("ok");
  });

  test("nobody can be asked now", () => {
    const rules = [{ id: "word", ask: "file:/a" }];
    const refusal = thrownBy(() => tryMore(FILE, { capabilities: ["file:/a:read"], rules }));

    expect(refusal).toMatchObject({ code: "EPOLICY" });
    expect(refusal.message).toBe(
      "the call wants to read /a, which needs a person's approval (rule org/word)",
    );
  });

  test.each<[string, Touch, Touch[], boolean, string]>([
    ["to the same host", http("a.com:443/x"), [http("a.com:443/y")], true, "ok"],
    ["to the same host, without a path", http("a.com:443"), [http("a.com:443/y")], true, "ok"],
    ["that nobody approved", http("a.com:443/x"), [http("a.com:443/y")], false, "EPOLICY"],
    ["to another host", http("b.com:443/y"), [http("a.com:443/y")], true, "EPOLICY"],
    ["with another verb", http("a.com:443/y", "post"), [http("a.com:443/y")], true, "EPOLICY"],
    [
      "of what is no request and was not shown",
      { kind: "browser", resource: "a.com:443/x", verb: "read" },
      [{ kind: "browser", resource: "a.com:443/y", verb: "read" }],
      true,
      "EPOLICY",
    ],
    [
      "where only something else was there",
      http("a.com:443/x"),
      [{ kind: "browser", resource: "a.com:443/x", verb: "get" }],
      true,
      "EPOLICY",
    ],
    ["beside another", http("a.com:443/x"), [http("b.com:443/"), http("a.com:443/")], true, "ok"],
  ])(
    "who approved a request has approved one %s: %#",
    (_what, touch, before, isApproved, expected) => {
      const capabilities = ["http:*:request", "browser:*:read"];
      const rules = [{ id: "word", ask: ["http:*", "browser:*"] }];
      const tried = () => tryMore(touch, { capabilities, rules, before, isApproved });

      expect(codeOf(tried)).toBe(expected);
    },
  );

  test("a call is not hit by the rule that it armed itself; another's mark hits it", () => {
    const capabilities = ["file:/a:read"];
    const rules = [{ id: "stays", after: "tool:look", deny: "file:/a" }];
    const tried = (tags: string[], own: string[]) =>
      codeOf(() =>
        tryMore(FILE, {
          capabilities,
          rules,
          label: { integrity: "trusted", secrecy: "public", tags },
          own: { ...NONE, tags: own },
        }),
      );

    expect(tried(["org.stays"], ["org.stays"])).toBe("ok");
    expect(tried(["org.stays"], [])).toBe("EPOLICY");
    expect(tried(["org.stays", "org.x"], ["org.x"])).toBe("EPOLICY");
    expect(tried(["org.a", "org.stays", "org.x"], ["org.x"])).toBe("EPOLICY");
  });

  test("what it touches may arm a rule: the process is marked, and the marks are told", () => {
    const rules = [{ id: "stays", after: "file:/a", deny: "tool:pay" }];
    const { process, more } = tryMore(FILE, { capabilities: ["file:/a:read"], rules });

    expect(more.tags).toEqual(["org.stays"]);
    expect(labelText(process.label)).toBe("trusted/public#org.stays");
  });

  test("what would be permitted is asked with nothing charged and nobody marked", () => {
    const rules = [{ id: "stays", after: "file:/a", deny: "file:/b" }];
    const process = processOf({ capabilities: ["tool:*:call", "file:/a:read{max:1}"] });
    const action = execOf(process, "look");
    const would = (touch: Touch) =>
      wouldPermitMore(process, action, touch, NONE, testJudgeRules(rules), TEST_NOW);

    expect([would(FILE), would(FILE)]).toEqual([true, true]);
    expect(would({ ...FILE, resource: "/b" })).toBe(false);
    expect(usageOf(process, 1).uses).toBe(0);
    expect(labelText(process.label)).toBe("trusted/public");
  });

  test("a pin on the thing is none on the tool", () => {
    const rules = [{ id: "word", ask: "file:/a", when: "!pinned" }];
    const process = processOf({ capabilities: ["tool:*:call", "file:/a:read{pin.x:1}"] });
    const action = execOf(process, "look", { x: 1 });

    expect(
      codeOf(() => permitMore(process, action, FILE, NONE, testJudgeRules(rules), TEST_NOW)),
    ).toBe("EPOLICY");
  });
});

test("a message to a process that is no kin is judged with its arguments", () => {
  const process = processOf({ capabilities: ['message:agt_9:send{pin.body:"hi"}'] });
  const send = (body: string) => actionOf(process, "send", { to: "agt_9", body });

  expect(codeOf(() => permit(process, send("hi"), testJudgeRules(), TEST_NOW, false))).toBe("ok");
  expect(codeOf(() => permit(process, send("ho"), testJudgeRules(), TEST_NOW, false))).toBe(
    "EACCES",
  );
});

test("what a running call stands on is not counted again when it is looked at anew", () => {
  const process = processOf({ capabilities: ["tool:look:call{max:1}"] });
  const action = execOf(process, "look");
  permit(process, action, testJudgeRules(), TEST_NOW, false);

  expect(currentChains(process, action, action.touches, TEST_NOW, refusalWords).chains).toEqual([
    process.block,
  ]);
  expect(codeOf(() => permit(process, action, testJudgeRules(), TEST_NOW, false))).toBe("EACCES");
});

test("without a clock on the wall, what turns up is judged by the kernel's", () => {
  const process = processOf({ capabilities: ["tool:*:call", "file:/**:read"] });
  const rules = testJudgeRules([{ id: "noon", deny: "file:/a", when: "time.hour == 12" }]);
  const action = execOf(process, "look");
  const under = permit(process, action, rules, TEST_NOW, false);
  const touch = { kind: "file", resource: "/a", verb: "read" };

  expect(codeOf(() => permitMore(process, action, touch, under, rules, TEST_NOW))).toBe("ok");
});
