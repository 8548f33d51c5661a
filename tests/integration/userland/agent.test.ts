import { SysError, type Tool } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { programs } from "@aos/userland";
import { fakeSys } from "./fake-sys.ts";

const agentProgram = programs["agent"]!.run;

const failing = (code: "EINTERNAL" | "EAGAIN"): Tool => ({
  name: "echo",
  version: "1",
  description: "",
  input: {},
  effect: "read",
  touches: () => [],
  run: async () => {
    throw new SysError(code, "it broke", { retryAfter: 20 });
  },
});

const callEcho = (args: object = {}) => ({ call: [{ tool: "echo", args: args as never }] });

describe("the loop", () => {
  test("an answer without tool calls is the result", async () => {
    const { sys, calls, shown } = fakeSys({
      script: { turns: [{ say: "hello {{input}}" }] },
      manifest: { system: "Be kind.", model: ["scripted/it", "scripted/never"] },
    });

    expect(await agentProgram(sys, "you")).toBe("hello you");
    expect(calls).toEqual(["read", "read", "read", "infer"]);
    expect(shown[0]).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "you" },
    ]);
  });

  test("tools run side by side, and their results come in the order of the calls", async () => {
    const order: string[] = [];
    const slow: Tool = {
      ...failing("EAGAIN"),
      name: "slow",
      run: async () => {
        order.push("slow begins");
        await new Promise((resolve) => setTimeout(resolve, 10));
        order.push("slow ends");
        return "slow result";
      },
    };
    const quick: Tool = {
      ...slow,
      name: "quick",
      run: async () => {
        order.push("quick");
        return { n: 1 };
      },
    };
    const { sys, shown } = fakeSys({
      script: { turns: [{ call: [{ tool: "slow" }, { tool: "quick" }] }, { say: "done" }] },
      tools: [slow, quick],
    });

    expect(await agentProgram(sys, { task: 1 })).toBe("done");
    expect(order).toEqual(["slow begins", "quick", "slow ends"]);
    expect(shown[1]).toEqual([
      { role: "user", content: '{"task":1}' },
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "call_1_1", tool: "slow", args: {} },
          { id: "call_1_2", tool: "quick", args: {} },
        ],
      },
      { role: "tool", content: "slow result", toolCallId: "call_1_1" },
      { role: "tool", content: '{"n":1}', toolCallId: "call_1_2" },
    ]);
  });

  test("a refused call is told to the model with its hint, and the run goes on", async () => {
    const { sys } = fakeSys({
      script: { turns: [callEcho(), { say: "{{last}}" }] },
      granted: [],
    });

    expect(await agentProgram(sys, "x")).toBe(
      "EACCES: no capability grants echo\nhint: tool:echo:call",
    );
  });

  test("a tool that is not there, and one that may succeed later, are told too", async () => {
    const missing = fakeSys({ script: { turns: [callEcho(), { say: "{{last}}" }] }, tools: [] });
    const busy = fakeSys({
      script: { turns: [callEcho(), { say: "{{last}}" }] },
      tools: [failing("EAGAIN")],
    });

    expect(await agentProgram(missing.sys, "x")).toBe("ENOENT: unknown tool echo");
    expect(await agentProgram(busy.sys, "x")).toBe("EAGAIN: it broke\nmay succeed after 20 ms");
  });

  test("what only the kernel can mend ends the program", async () => {
    const { sys } = fakeSys({ script: { turns: [callEcho()] }, tools: [failing("EINTERNAL")] });

    await expect(agentProgram(sys, "x")).rejects.toMatchObject({ code: "EINTERNAL" });
  });

  test("a model's failure ends the program with its own words", async () => {
    const { sys } = fakeSys({ script: { turns: [] } });

    await expect(agentProgram(sys, "x")).rejects.toMatchObject({ code: "EUPSTREAM" });
  });

  test("half an answer does not pass for a whole one", async () => {
    const { sys } = fakeSys({ script: { turns: [{ say: "x".repeat(20_000) }] } });

    await expect(agentProgram(sys, "x")).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringContaining("cut off"),
    });
  });

  test("no input is a request to begin", async () => {
    const { sys, shown } = fakeSys({ script: { turns: [{ say: "ok" }] } });

    await agentProgram(sys, null);

    expect(shown[0]).toEqual([{ role: "user", content: "Begin." }]);
  });

  test("a manifest without a model is refused before anything is asked", async () => {
    const { sys, calls } = fakeSys({ manifest: { model: undefined } });

    await expect(agentProgram(sys, "x")).rejects.toMatchObject({
      code: "EINVAL",
      hint: expect.stringContaining("model:"),
    });
    expect(calls).toEqual(["read"]);
  });

  test("the same run makes the same calls", async () => {
    const script = { turns: [callEcho({ a: 1 }), callEcho({ a: 2 }), { say: "{{last}}" }] };
    const runs = [fakeSys({ script }), fakeSys({ script })];

    const [one, other] = await Promise.all(
      runs.map(async (run) => [await agentProgram(run.sys, "x"), run.shown]),
    );

    expect(one).toEqual(other);
  });
});

describe("the end", () => {
  test("there is one after limits.maxSteps, by default after 50", async () => {
    const script = { turns: Array.from({ length: 60 }, (_, n) => callEcho({ n })) };
    const limited = fakeSys({ script, manifest: { limits: { maxSteps: 4 } } });
    const unlimited = fakeSys({ script });

    await expect(agentProgram(limited.sys, "x")).rejects.toMatchObject({
      code: "ETIMEDOUT",
      hint: expect.stringContaining("limits.maxSteps"),
    });
    await expect(agentProgram(unlimited.sys, "x")).rejects.toMatchObject({ code: "ETIMEDOUT" });
    expect([limited.shown.length, unlimited.shown.length]).toEqual([4, 50]);
  });

  test("a model that repeats itself is told at the third call, and ends by SIGLOOP at the fifth", async () => {
    const { sys, calls, shown, signals } = fakeSys({
      script: { turns: [{ when: {}, ...callEcho({ b: 1, a: 2 }) }] },
    });

    await expect(agentProgram(sys, "x")).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringContaining("repeats itself"),
    });
    expect(signals).toEqual(["SIGLOOP"]);
    expect(calls.filter((name) => name === "exec")).toHaveLength(4);
    expect(shown.map((messages) => messages.at(-1)?.role)).toEqual([
      "user",
      "tool",
      "tool",
      "user",
      "tool",
    ]);
    expect(shown[3]?.at(-1)?.content).toContain("3 times in a row");
  });

  test("a model that heeds the warning goes on", async () => {
    const { sys } = fakeSys({
      script: {
        turns: [
          { when: { contains: "3 times in a row" }, say: "enough" },
          { when: {}, ...callEcho() },
        ],
      },
    });

    expect(await agentProgram(sys, "x")).toBe("enough");
  });
});

describe("an answer with a schema", () => {
  const output = {
    schema: { type: "object", required: ["n"], properties: { n: { type: "integer" } } },
  };

  test("is returned as a value, and the model is told the schema", async () => {
    const { sys, shown } = fakeSys({
      script: { turns: [{ say: '```json\n{"n": 4}\n```' }] },
      manifest: { output, system: "Count." },
    });

    expect(await agentProgram(sys, "x")).toEqual({ n: 4 });
    expect(shown[0]?.[0]?.content).toContain(JSON.stringify(output.schema));
  });

  test("may be repaired twice", async () => {
    const { sys, shown } = fakeSys({
      script: { turns: [{ say: "four" }, { say: '{"n": "4"}' }, { say: '{"n": 4}' }] },
      manifest: { output },
    });

    expect(await agentProgram(sys, "x")).toEqual({ n: 4 });
    expect(shown[1]?.at(-1)?.content).toContain("not JSON");
    expect(shown[2]?.at(-1)?.content).toContain("/n must be integer");
  });

  test("that never fits is a failure, not a result", async () => {
    const { sys, shown } = fakeSys({
      script: { turns: [{ when: {}, say: "{}" }] },
      manifest: { output },
    });

    await expect(agentProgram(sys, "x")).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringContaining("/n is missing"),
    });
    expect(shown).toHaveLength(3);
  });

  test("that cannot be checked whole is refused before anything is asked", async () => {
    const { sys, shown } = fakeSys({
      manifest: { output: { schema: { type: "string", pattern: "^a" } } },
    });

    await expect(agentProgram(sys, "x")).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringContaining("output.schema.pattern"),
    });
    expect(shown).toEqual([]);
  });
});
