// The gate's order, step by step, in a world that notes what it is asked for.

import { SysError, type Json } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { cancel } from "../process/process.ts";
import { execArgs, gateOf } from "../../../tests/helpers/kernel/gate.ts";
import { callOf, TEST_NOW, toolOf } from "../../../tests/helpers/kernel/process.ts";

const ALL = ["tool:*:call", "file:/**:read", "model:*:infer"];

describe("the order", () => {
  test("GATE-1: an external effect runs after its intent is durable and the process is surely ours", async () => {
    const { noted, pass, records, told } = gateOf({ capabilities: ALL });

    expect(await pass("exec", execArgs("pay2"))).toBe("paid");

    const order = ["mark pay2", "intent", "durable", "ours", "pay2 runs", "outcome", "deliver"];
    expect(noted).toEqual(order);
    expect(records).toMatchObject([
      { kind: "intent", seq: 5, n: 0, call: "exec", key: "agt_7.0", attempt: 1, cause: 2 },
      { kind: "outcome", seq: 6, n: 0, ok: "paid" },
    ]);
    expect(told).toEqual([{ ok: "paid" }]);
  });

  test("GATE-2: what is seen outside runs after all that led to it is durable", async () => {
    const run = async () => "done";
    const tools = [toolOf("seen", { egress: true, run }), toolOf("quiet", { run })];
    const { noted, pass } = gateOf({ capabilities: ALL, tools });

    await pass("exec", execArgs("seen"));
    expect(noted.splice(0)).toEqual(["mark seen", "durable", "call", "deliver"]);
    await pass("exec", execArgs("quiet"));
    expect(noted).toEqual(["call", "deliver"]);
  });

  test("GATE-3: an error while a call is judged is a refusal that says so", async () => {
    const fails = () => {
      throw new TypeError("a bug");
    };
    const judging = gateOf({ capabilities: ALL, judgeRules: { quota: fails } });
    const describing = gateOf({ capabilities: ALL, tools: [toolOf("odd", { touches: fails })] });
    const strange = gateOf({
      capabilities: ALL,
      judgeRules: {
        quota: () => {
          throw "words"; // oxlint-disable-line no-throw-literal
        },
      },
    });

    await judging.pass("exec", execArgs("look"));
    await describing.pass("exec", execArgs("odd"));
    await strange.pass("exec", execArgs("look"));

    expect(judging.told).toMatchObject([
      { err: { code: "EINTERNAL", message: "the gate failed and refused the call: a bug" } },
    ]);
    expect(describing.told).toMatchObject([
      { err: { code: "EINVAL", message: "the call could not be understood: a bug" } },
    ]);
    expect(strange.told).toMatchObject([
      { err: { message: expect.stringContaining("words") as string } },
    ]);
  });

  test("a call that nothing is given to is answered as one with no arguments", async () => {
    expect(await gateOf({}).pass("now", null)).toBeTypeOf("number");
    expect(await gateOf({}).pass("read", null)).not.toBe("EINTERNAL");
  });

  test("what must be known of others is looked up first", async () => {
    const RED = { integrity: "untrusted", secrecy: "public" } as const;
    const request = {
      capabilities: ["memory:/mem/**:write"],
      rules: [{ id: "no", deny: "write", when: '"destructive" in sinks' }],
    };
    const write = { path: "/mem/shared/a", data: 1 };

    expect(await gateOf({ ...request, label: RED }).pass("write", write)).toBe("EPOLICY");
  });

  test("a rule that lets a call only be tried: nothing is done, and what would have been is the answer", async () => {
    const rules = [{ id: "try", allow: "*", constraints: { dryRun: true } }];
    const { noted, pass, records } = gateOf({ capabilities: ALL, rules });

    expect(await pass("exec", execArgs("pay2", { to: "bob" }))).toEqual({
      dryRun: true,
      would: { call: "exec", touches: [{ kind: "tool", resource: "pay2", verb: "call" }] },
    });
    expect(noted).toEqual(["mark pay2", "call", "deliver"]);
    expect(records).toMatchObject([{ kind: "call" }]);
    expect(records[0]).not.toHaveProperty("verdict"); // no person said anything
  });
});

test("a call that is two records begins with its intent, and what that does to the store", () => {
  const { gate, process, records, writes } = gateOf({});
  const call = callOf("request", { to: "agt_9", body: 1 });
  const write = { op: "message.put" } as never;

  gate.intend({ process, call, permit: { charges: [] } } as never, [write]);

  expect(records).toMatchObject([{ kind: "intent", seq: 5, n: 3, call: "request", attempt: 1 }]);
  expect(writes).toEqual([write]);
  expect(call.intent).toMatchObject({ seq: 5, n: 3, attempt: 1 });
});

test("who waits for what the store will tell of may leave memory meanwhile", async () => {
  const { begin, noted } = gateOf({});
  const { call, passed } = begin("sleep", { until: TEST_NOW + 60_000 });
  await new Promise((resolve) => setImmediate(resolve));

  expect(call).toMatchObject({ waitsOn: "timer", dormant: true, until: TEST_NOW + 60_000 });
  cancel(call);
  await passed;
  expect(noted).toEqual(["waits"]); // no request waits for the answer any more: it is not recorded
});

describe("refusals", () => {
  test("are recorded and told, and take nothing", async () => {
    const { noted, pass, records, laws: rules, process } = gateOf({});

    expect(await pass("exec", execArgs("look"))).toBe("EACCES");

    expect(noted).toEqual(["call", "deliver"]);
    expect(records).toMatchObject([{ kind: "call", n: 0, err: { code: "EACCES" } }]);
    expect(rules.taken).toEqual([]);
    expect(process.pending.size).toBe(0);
  });

  test("more of them in a minute than the limit end the process; failures of another sort do not", async () => {
    const limits = { denialsPerMinute: 2 } as never;
    const refused = gateOf({ services: { limits } });
    const failing = gateOf({ services: { limits } });
    const denied = gateOf({
      capabilities: ALL,
      services: { limits },
      tools: [toolOf("shut", { run: async () => Promise.reject(new SysError("EACCES", "shut")) })],
    });

    for (let i = 0; i < 3; i++) {
      await refused.pass("exec", execArgs("look"));
      await failing.pass("exec", execArgs("gone"));
      expect(await denied.pass("exec", execArgs("shut"))).toBe("EACCES");
    }

    const killed = "killed: SIGPOLICY: it was refused more than 2 times in a minute";
    expect(refused.noted.filter((one) => one.startsWith("killed"))).toEqual([killed]);
    expect(failing.noted.join()).not.toContain("killed");
    expect(denied.noted.join()).not.toContain("killed"); // it was the tool that refused, not the gate
  });

  test("a violation ends the process, and nothing is told", async () => {
    const { noted, pass } = gateOf({ capabilities: ALL, rules: [{ id: "no", kill: "tool:look" }] });

    expect(await pass("exec", execArgs("look"))).toBe("nothing");
    expect(noted).toEqual(["killed: SIGPOLICY: exec is forbidden by the rule org/no"]);
  });
});

describe("what a call takes", () => {
  test("is settled when it is over, and what a quota counts is given back when nothing came of it", async () => {
    const fails = async () => Promise.reject(new Error("broken"));
    const {
      pass,
      laws: rules,
      process,
    } = gateOf({
      capabilities: ALL,
      budget: { toolCalls: 2 },
      tools: [toolOf("broken", { run: fails })],
    });

    expect(await pass("exec", execArgs("look"))).toBe("done");
    expect(rules.taken).toEqual(["exec"]);
    expect(await pass("exec", execArgs("broken"))).toBe("EUPSTREAM");
    expect(rules.taken).toEqual(["exec", "exec", "-exec"]);
    expect(process.account.toolCalls).toBe(2); // a tool that ran counts
    expect(await pass("exec", execArgs("look"))).toBe("EBUDGET");
    expect(rules.taken.length).toBe(3); // a refusal takes nothing
  });

  test("the parts of a limit that it passes are told, each once", async () => {
    const { pass, noted } = gateOf({
      capabilities: ["tool:look:call"],
      budget: { toolCalls: 2 },
    });

    await pass("exec", execArgs("look"));
    expect(noted).toContain("50% of toolCalls");
    await pass("exec", execArgs("look"));

    const parts = noted.filter((what) => what.endsWith("of toolCalls"));
    expect(parts).toEqual(["50% of toolCalls", "80% of toolCalls"]);
  });

  test("uses of grants and of rates are written with the record", async () => {
    const capabilities = ["tool:look:call{max:5}"];
    const rules = [{ id: "slow", allow: "tool:look", rate: "5/h" }];
    const { pass, writes } = gateOf({ capabilities, rules });

    await pass("exec", execArgs("look"));

    expect(writes).toMatchObject([
      { op: "block.put", id: "birth" },
      { op: "rate", key: "rate:org/slow/acme/writer" },
    ]);
  });

  test("of a use that was begun are written with its intent too, with its blobs", async () => {
    const { pass, writes } = gateOf({ capabilities: ["tool:pay2:call{max:5}"] });

    await pass("exec", execArgs("pay2"), { blobs: [{ digest: "d", body: "b" }] });

    const uses = writes.map((write) => write.op);
    expect(uses).toEqual(["blob.put", "block.put", "block.put"]);
  });

  test("while it runs the call says what it stands on, and what it may cost", async () => {
    const seen: Json[] = [];
    const tool = toolOf("spy", {
      run: async () => {
        const [call] = spied.process.pending.values();
        seen.push(
          call!.chains.map(({ id }) => id),
          { ...call!.hold!.worst },
        );
        return 1;
      },
    });
    const spied = gateOf({ capabilities: ALL, tools: [tool] });

    await spied.pass("exec", execArgs("spy"));

    expect(seen).toEqual([["birth"], { microUsd: 0, tokens: 0, toolCalls: 1 }]);
  });

  test("what follows a success follows it alone, once it is recorded", async () => {
    const { pass, process } = gateOf({});
    process.streams.set(3, { path: "/mem/a", mode: "read", offset: 0 });
    process.pending.set(77, {} as never);

    expect(await pass("checkpoint", { state: 1 })).toBe("EINVAL");
    expect(process.streams.size).toBe(1);
    process.pending.delete(77);
    expect(await pass("checkpoint", { state: 1 })).toBeNull();
    expect(process.streams.size).toBe(0);
  });

  test("a process whose row says that it sleeps is awake with its next record", async () => {
    const { pass, process, writes } = gateOf({});
    process.asleep = true;

    await pass("now", {});
    await pass("now", {});

    const patch = { state: "running", waitingOn: null, wakeAt: null, label: null };
    expect(writes).toEqual([{ op: "process.patch", key: 7, patch }]);
    expect(process.asleep).toBe(false);
  });
});

describe("who is gone meanwhile", () => {
  test("a call that was cancelled before it ran does not run, and gives back what it took", async () => {
    const gone: ReturnType<typeof gateOf> = gateOf({
      capabilities: ALL,
      budget: { toolCalls: 1 },
      services: {
        confirmOurs: async () => {
          for (const call of gone.process.pending.values()) call.cancelled = true;
        },
      },
    });

    expect(await gone.pass("exec", execArgs("pay2"))).toBe("nothing");

    expect(gone.noted).not.toContain("pay2 runs");
    expect(gone.noted).not.toContain("deliver");
    expect(gone.laws.taken).toEqual(["exec", "-exec"]);
    expect(gone.process.account.toolCalls).toBe(0);
    gone.process.account.mustCover(
      { microUsd: 0, tokens: 0, toolCalls: 1 },
      { nowMs: 0, what: "tool:pay2" },
    );
  });

  test.each([
    ["cancelled", "cancel"],
    ["forgotten", "forget"],
  ])(
    "a call that was %s while it ran is not recorded, and what it used is used",
    async (_what, how) => {
      const gone: ReturnType<typeof gateOf> = gateOf({
        capabilities: ALL,
        budget: { toolCalls: 1 },
        tools: [
          toolOf("slow", {
            run: async () => {
              const [call] = gone.process.pending.values();
              if (how === "cancel") call!.cancelled = true;
              else gone.process.pending.clear();
              return 1;
            },
          }),
        ],
      });

      expect(await gone.pass("exec", execArgs("slow"))).toBe("nothing");

      expect(gone.noted).toEqual([]);
      expect(gone.process.account.toolCalls).toBe(1);
      expect(gone.laws.taken).toEqual(["exec", "-exec"]);
    },
  );

  test("a call that was refused and forgotten took nothing, and gives nothing back", async () => {
    const gone: ReturnType<typeof gateOf> = gateOf({
      judgeRules: {
        quota: () => {
          gone.process.pending.clear();
          throw new SysError("EAGAIN", "full");
        },
      },
    });

    expect(await gone.pass("now", {})).toBe("nothing");
    expect(gone.laws.taken).toEqual([]);
  });

  test("a call that could not be described is forgotten like any other", async () => {
    const gone: ReturnType<typeof gateOf> = gateOf({
      tools: [
        toolOf("odd", {
          touches: () => {
            gone.process.pending.clear();
            throw new Error("odd");
          },
        }),
      ],
    });

    expect(await gone.pass("exec", execArgs("odd"))).toBe("nothing");
    expect(gone.noted).toEqual([]);
  });
});

describe("wouldBe", () => {
  const request = {
    capabilities: ["tool:pay:call", "tool:set:call", "tool:look:call{max:1}"],
    rules: [
      { id: "word", ask: "tool:pay" },
      { id: "no", kill: "tool:set" },
    ],
  };

  test("says what the gate would, with nothing charged and nothing done", async () => {
    const { gate, process, noted } = gateOf(request);
    const say = (tool: string) => gate.wouldBe(process, "exec", execArgs(tool));

    expect([await say("look"), await say("look")]).toEqual([{ allow: true }, { allow: true }]);
    expect(await say("pay")).toEqual({
      allow: false,
      code: "EDENIED",
      reason: "needs approval by org/word",
    });
    expect(await say("set")).toEqual({
      allow: false,
      code: "EPOLICY",
      reason: "exec is forbidden by the rule org/no",
      hint: "it would be killed",
    });
    expect(await say("pay2")).toMatchObject({
      allow: false,
      code: "EACCES",
      reason: expect.stringMatching(/^`[^`]+` may not call the tool pay2: /) as string,
      hint: expect.stringContaining("tool:pay2:call") as string,
      detail: { check: "capability" },
    });
    expect(await gate.wouldBe(process, "nope", {})).toEqual({
      allow: false,
      code: "EINVAL",
      reason: "there is no system call nope",
    });
    expect(noted).toEqual([]);
  });

  test("an error is the refusal that it would be", async () => {
    const quota = () => {
      throw new Error("a bug");
    };
    const { gate, process } = gateOf({ judgeRules: { quota } });

    expect(await gate.wouldBe(process, "now", {})).toMatchObject({
      allow: false,
      code: "EINTERNAL",
    });
  });
});

test("replies that nobody waits for any more are buried once the call is recorded", async () => {
  const buried: string[] = [];
  const deadLetters = { bury: ({ pid }: { pid: string }) => buried.push(pid) };
  const { pass, process, noted } = gateOf({
    capabilities: ["tool:*:call"],
    services: { deadLetters: deadLetters as never },
  });

  await pass("exec", execArgs("look"));
  expect(buried).toEqual([]);
  Object.defineProperty(process.mailbox, "hasReplies", { value: true });
  await pass("exec", execArgs("look"));

  expect(buried).toEqual([process.pid]);
  expect(noted.at(-1)).toBe("deliver");
});
