import { expect, test } from "vitest";
import { CLEAN } from "../label/label.ts";
import { judge, NeedsApproval, Violation, type JudgeRules } from "./judge.ts";
import type { Action } from "./action.ts";
import type { Process } from "../process/process.ts";
import {
  actionOf,
  execOf,
  grantTo,
  inferOf,
  testJudgeRules,
  TEST_NOW,
  processOf,
  targetOf,
  thrownBy,
  toolOf,
} from "../../../tests/helpers/kernel/process.ts";

const MINE = "cap_1111111111111111111111";
const OVER = "cap_2222222222222222222222";
const THEIRS = "cap_3333333333333333333333";
const NOT_PINNED = { id: "free", ask: "*", when: "!pinned" };
const RED = { integrity: "untrusted", secrecy: "public" } as const;

/** `ok`, the code of the refusal, or what else was thrown. */
function said(
  process: Process,
  action: Action,
  rules: JudgeRules = testJudgeRules(),
  isBegun?: boolean,
): string {
  try {
    judge(process, action, rules, TEST_NOW, isBegun);
    return "ok";
  } catch (error) {
    if (error instanceof NeedsApproval) return "ask";
    if (error instanceof Violation) return "kill";
    return (error as { code?: string }).code ?? String(error);
  }
}

const touching = (...touches: readonly [kind: string, resource: string, verb: string][]) => {
  const touched = touches.map(([kind, resource, verb]) => ({ kind, resource, verb }));
  return [toolOf("copy", { touches: () => touched })];
};

test("SYSCALL-POWERS-1: a tool needs a grant, and every resource that it touches another", () => {
  const copy = touching(["file", "/a", "read"], ["file", "/b", "write"]);
  const all = ["tool:copy:call", "file:/a:read", "file:/b:write"];
  const given = (capabilities: string[]) => {
    const process = processOf({ capabilities });
    return said(process, execOf(process, "copy", {}, copy));
  };

  expect(given(all)).toBe("ok");
  for (const one of all) expect(given(all.filter((text) => text !== one))).toBe("EACCES");
});

test("SYSCALL-POWERS-1: the permit has the end of every chain that allowed it, and all that is to be charged", () => {
  const copy = touching(["file", "/a", "read"], ["file", "/b", "write"]);
  const process = processOf({ capabilities: ["tool:copy:call{max:3}", "file:/a:read"] });
  grantTo(process, MINE, ["file:/b:write{max:3}"]);

  const { chains, charges } = judge(
    process,
    execOf(process, "copy", {}, copy),
    testJudgeRules(),
    TEST_NOW,
  );

  expect(chains.map(({ id }) => id)).toEqual(["birth", "birth", MINE]);
  expect(charges.map(({ block }) => block.id)).toEqual(["birth", MINE]);
});

test("what touches nothing needs no grant, and is not taken for pinned", () => {
  const process = processOf({});
  const self = actionOf(process, "self", {});

  expect(judge(process, self, testJudgeRules(), TEST_NOW)).toMatchObject({
    charges: [],
    chains: [],
  });
  expect(said(process, self, testJudgeRules([NOT_PINNED]))).toBe("ask");
});

test("one grant that is used twice by one call needs two uses of it, unless it was begun before", () => {
  const swap = touching(["file", "/a/x", "write"], ["file", "/a/y", "write"]);
  const given = (constraints: string, isBegun?: boolean) => {
    const process = processOf({
      capabilities: ["tool:copy:call", `file:/a/**:write${constraints}`],
    });
    return said(process, execOf(process, "copy", {}, swap), testJudgeRules(), isBegun);
  };

  expect(given("{max:1}")).toBe("EACCES");
  expect(given("{max:2}")).toBe("ok");
  expect(given("{rate:1/h}")).toBe("EACCES");
  expect(given("{max:1}", true)).toBe("ok");
});

test("one use of a bucket that refilled but for the last bits of a number is one use", () => {
  const process = processOf({ capabilities: ["tool:look:call{rate:3/s}"] });
  const { usage } = process.block.held[0]!;

  usage.tokens = 1 - 1e-12;
  expect(said(process, execOf(process, "look"))).toBe("ok");
  usage.tokens = 1 - 1e-6;
  expect(said(process, execOf(process, "look"))).toBe("EAGAIN");
});

test("SYSCALL-POWERS-2: a handle that is over is refused, and one that was never given is forged", () => {
  const process = processOf({ capabilities: ["tool:look:call"] });
  grantTo(process, MINE, ["tool:look:call"]);
  process.pastHandles.add(OVER);
  const by = (handle?: string) =>
    said(
      process,
      actionOf(process, "exec", { tool: "look", args: {}, ...(handle && { by: handle }) }),
    );

  expect([by(), by(MINE), by(OVER), by(THEIRS)]).toEqual(["ok", "ok", "EACCES", "kill"]);
  const forging = actionOf(process, "exec", { tool: "look", args: {}, by: THEIRS });
  expect(thrownBy(() => judge(process, forging, testJudgeRules(), TEST_NOW)).message).toBe(
    "exec named a handle that was never given to it",
  );
  const late = actionOf(process, "exec", { tool: "look", args: {}, by: OVER });
  expect(thrownBy(() => judge(process, late, testJudgeRules(), TEST_NOW)).message).toContain(
    "is over",
  );
});

test("SYSCALL-POWERS-2: with a handle only that grant is asked", () => {
  const process = processOf({ capabilities: ["tool:look:call"] });
  grantTo(process, MINE, ["tool:set:call"]);

  const action = actionOf(process, "exec", { tool: "look", args: {}, by: MINE });

  expect(said(process, action)).toBe("EACCES");
});

test.each([
  ["no pin", "tool:pay2:call", "ask"],
  ["every argument that carries authority", 'tool:pay2:call{pin.to:"bob",pin.amount:5}', "ok"],
  ["one of two", 'tool:pay2:call{pin.to:"bob"}', "ask"],
  ["one that carries none", 'tool:pay2:call{pin.text:"hi"}', "ask"],
])("SYSCALL-POWERS-3: a pin on %s: %s gives %s", (_what, capability, expected) => {
  const pay = toolOf("pay2", { effect: "external", authority: ["to", "amount"] });
  const process = processOf({ capabilities: [capability] });

  const action = execOf(process, "pay2", { to: "bob", amount: 5, text: "hi" }, [pay]);

  expect(said(process, action, testJudgeRules([NOT_PINNED]))).toBe(expected);
});

test("SYSCALL-POWERS-3: an argument that is not given has no authority; without a list every pin counts", () => {
  const pay = toolOf("pay2", { authority: ["to", "amount"] });
  const capabilities = ['tool:pay2:call{pin.to:"bob"}', "tool:look:call{pin.x:1}"];
  const process = processOf({ capabilities });
  const rules = testJudgeRules([NOT_PINNED]);

  expect(said(process, execOf(process, "pay2", { to: "bob" }, [pay]), rules)).toBe("ok");
  expect(said(process, execOf(process, "look", { x: 1, y: 2 }), rules)).toBe("ok");
});

test("SYSCALL-POWERS-3: no pin fits arguments that are not there, or have no names", () => {
  const process = processOf({ capabilities: ["tool:look:call{args:pinned}"] });

  for (const args of [null, "bob", [1]])
    expect(said(process, execOf(process, "look", args))).toBe("EACCES");
  expect(said(process, execOf(process, "look", {}))).toBe("ok");
});

test("SYSCALL-POWERS-3: a pin on what the tool touches is no pin on the tool", () => {
  const copy = touching(["file", "/a", "read"]);
  const rules = testJudgeRules([NOT_PINNED]);
  const asked = (tool: string, file: string) => {
    const process = processOf({ capabilities: [`tool:copy:call${tool}`, `file:/a:read${file}`] });
    return said(process, execOf(process, "copy", { x: 1 }, copy), rules);
  };

  expect(asked("", "{pin.x:1}")).toBe("ask");
  expect(asked("{pin.x:1}", "")).toBe("ok");
});

test("a call that is no tool's is pinned by any pin on it, and by none without one", () => {
  const asked = (constraints: string) => {
    const process = processOf({ capabilities: [`message:agt_9:send${constraints}`] });
    const send = actionOf(process, "send", { to: "agt_9", body: 1 });
    return said(process, send, testJudgeRules([NOT_PINNED]));
  };

  expect([asked(""), asked("{pin.body:1}")]).toEqual(["ask", "ok"]);
});

test("a rule that forbids is EPOLICY, and one that kills is a violation in its words", () => {
  const process = processOf({ capabilities: ["tool:*:call"] });
  const look = execOf(process, "look");

  expect(said(process, look, testJudgeRules([{ id: "no", deny: "tool:look" }]))).toBe("EPOLICY");
  const kill = { id: "no", kill: "tool:look" };
  const killed = (rule: object) =>
    thrownBy(() => judge(process, look, testJudgeRules([rule]), TEST_NOW));
  expect(killed(kill)).toBeInstanceOf(Violation);
  expect(killed(kill).message).toBe("exec is forbidden by the rule org/no");
  expect(killed({ ...kill, say: "do not look" }).message).toBe("do not look");
});

test("a signal must be allowed to who sends it and to who gets it", () => {
  const project = {
    kernel: { version: "1.0", mode: "strict" },
    signals: ["SIGINT"],
    policies: [{ action: "*", effect: "allow" }],
    observability: { metrics: true, traces: false },
  };
  const rules = testJudgeRules([], { layers: { project } });
  const process = processOf({ capabilities: ["signal:*:send"] });
  const sent = (signal: string, layers: string[]) => {
    const target = targetOf({ spec: { layers } as never });
    return said(
      process,
      actionOf(process, "signal", { pid: "agt_9", signal }, { facts: { target } }),
      rules,
    );
  };

  expect(sent("SIGKILL", ["project"])).toBe("EPOLICY");
  expect(sent("SIGINT", ["project"])).toBe("ok");
  expect(sent("SIGKILL", [])).toBe("ok");
  expect(
    said(process, actionOf(process, "signal", { pid: "agt_9", signal: "SIGKILL" }), rules),
  ).toBe("ok");
});

test("a secret does not leave, by whatever goes out; all else may", () => {
  const secret = { integrity: "trusted", secrecy: "secret" } as const;
  const tried = (label: typeof secret | typeof CLEAN) => {
    const process = processOf({
      label: label as never,
      capabilities: ["tool:*:call", "model:*:infer"],
    });
    return [
      said(process, execOf(process, "pay")),
      said(process, inferOf(process)),
      said(process, inferOf(process, "near/x")),
      said(process, execOf(process, "look")),
    ];
  };

  expect(tried(secret)).toEqual(["EPOLICY", "EPOLICY", "ok", "ok"]);
  expect(tried(CLEAN)).toEqual(["ok", "ok", "ok", "ok"]);
});

test("the order of the checks is capability, policy, labels, quota, approval, budget", () => {
  const quota = () => {
    throw Object.assign(new Error(), { code: "EAGAIN" });
  };
  const ask = { id: "word", ask: "*" };
  const tried = (request: object, rules: object[], more: Partial<JudgeRules>) => {
    const process = processOf({ capabilities: ["tool:*:call"], ...request });
    return said(process, execOf(process, "pay"), testJudgeRules(rules, more));
  };
  const label = { integrity: "trusted", secrecy: "secret" };
  const budget = { toolCalls: 0 };

  expect(tried({ label, budget, capabilities: [] }, [{ id: "no", kill: "*" }], { quota })).toBe(
    "EACCES",
  );
  expect(tried({ label, budget }, [{ id: "no", kill: "*" }], { quota })).toBe("kill");
  expect(tried({ label, budget }, [ask], { quota })).toBe("EPOLICY");
  expect(tried({ budget }, [ask], { quota })).toBe("EAGAIN");
  expect(tried({ budget }, [ask], {})).toBe("ask");
  expect(tried({ budget }, [], {})).toBe("EBUDGET");
  expect(tried({}, [], {})).toBe("ok");
});

test("who needs a person's word is told by which rule, and what it says", () => {
  const process = processOf({ capabilities: ["tool:*:call"] });
  const rules = testJudgeRules([{ id: "word", ask: "tool:pay", say: "{agent} pays", quorum: 2 }]);

  const needs = thrownBy(() => judge(process, execOf(process, "pay"), rules, TEST_NOW));

  expect(needs).toBeInstanceOf(NeedsApproval);
  expect(needs.message).toBe("needs approval by org/word");
  expect(needs).toMatchObject({ ask: { rule: "org/word", quorum: 2 }, say: "writer pays" });
});

test("a person's word is for one action of one process", () => {
  const asked: string[] = [];
  const isApproved = (_process: Process, digest: string) => asked.push(digest) === 1;
  const process = processOf({ capabilities: ["tool:*:call"] });
  const rules = testJudgeRules([{ id: "word", ask: "tool:pay" }], { isApproved });

  expect(said(process, execOf(process, "pay", { to: "bob" }), rules)).toBe("ok");
  expect(said(process, execOf(process, "pay", { to: "eve" }), rules)).toBe("ask");
  expect(new Set(asked).size).toBe(2);
  expect(said(process, execOf(process, "look"), rules)).toBe("ok");
  expect(asked.length).toBe(2);
});

test.each([
  ["the rule that asks", "org/word", {}, "ok"],
  ["one of two that ask", "org/word", { second: true }, "ask"],
  ["both", "org/word, org/second", { second: true }, "ok"],
  ["another", "org/other", {}, "ask"],
  ["one that asks every time", "org/word", { everyTime: true }, "ask"],
])(
  "a standing yes to %s (%s) counts for the rules that it names only",
  (_what, standing, { second, everyTime }: { second?: boolean; everyTime?: boolean }, expected) => {
    const process = processOf({});
    const runs = { digest: "r1", reach: [], shown: { files: [] } } as never;
    grantTo(process, MINE, ["tool:pay:call"], { standing, runs: "r1" });
    const rules = testJudgeRules([
      { id: "word", ask: "tool:pay", ...(everyTime === true && { everyTime }) },
      ...(second === true ? [{ id: "second", ask: "tool:pay" }] : []),
    ]);

    const action = execOf(process, "pay");
    expect(said(process, { ...action, runs }, rules)).toBe(expected);
    const other = { digest: "r2", reach: [], shown: { files: [] } } as never;
    expect(said(process, { ...action, runs: other }, rules)).toBe("ask");
    expect(said(process, action, rules)).toBe("ask");
  },
);

test("a standing yes answers only if it is for all that the call touches", () => {
  const copy = touching(["file", "/a", "read"]);
  const rules = testJudgeRules([{ id: "word", ask: "exec" }]);
  const tried = (...files: string[]) => {
    const process = processOf({ capabilities: ["file:/a:read"] });
    const runs = { digest: "r1", reach: [], shown: { files: [] } } as never;
    grantTo(process, MINE, ["tool:copy:call", ...files], { standing: "org/word", runs: "r1" });
    return said(process, { ...execOf(process, "copy", {}, copy), runs }, rules);
  };

  expect([tried(), tried("file:/a:read")]).toEqual(["ask", "ok"]);
});

test("the shortest time limit of all grants and rules applies", () => {
  const limit = (tool: string, file: string, rule?: string) => {
    const copy = touching(["file", "/a", "read"]);
    const process = processOf({ capabilities: [`tool:copy:call${tool}`, `file:/a:read${file}`] });
    const rules =
      rule === undefined ? [] : [{ id: "quick", allow: "*", constraints: { timeout: rule } }];
    return judge(process, execOf(process, "copy", {}, copy), testJudgeRules(rules), TEST_NOW)
      .timeoutMs;
  };

  expect(limit("", "")).toBeUndefined();
  expect(limit("{timeout:3s}", "")).toBe(3000);
  expect(limit("", "{timeout:2s}")).toBe(2000);
  expect(limit("{timeout:3s}", "{timeout:2s}")).toBe(2000);
  expect(limit("{timeout:2s}", "{timeout:3s}")).toBe(2000);
  expect(limit("{timeout:2s}", "", "1s")).toBe(1000);
  expect(limit("{timeout:2s}", "", "4s")).toBe(2000);
  expect(limit("", "", "4s")).toBe(4000);
});

test("a permit says what rules oblige to, and what is to be remarked", () => {
  const process = processOf({ label: RED, capabilities: ["tool:*:call"] });
  const permitted = (...rules: object[]) =>
    judge(process, execOf(process, "look"), testJudgeRules(rules), TEST_NOW);
  const shadow = (id: string) => ({ id, shadow: "deny", of: "tool:look" });
  const log = { id: "log", allow: "tool:look", constraints: { log: true } };

  expect(permitted()).toMatchObject({
    dryRun: false,
    maxBytes: undefined,
    covers: undefined,
    isPinned: false,
    verdict: undefined,
  });
  const constraints = { dryRun: true, maxBytes: 5 };
  expect(permitted({ id: "x", allow: "*", constraints })).toMatchObject({ maxBytes: 5 });
  expect(permitted(shadow("a")).verdict).toBe("shadow: org/a would deny");
  expect(permitted(log).verdict).toBe("note: org/log was used");
  expect(permitted(shadow("a"), shadow("b"), log).verdict).toBe(
    "shadow: org/a would deny, org/b would deny; note: org/log was used",
  );
});
