import type { Json } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { programs } from "@aos/userland";
import { fakeSys } from "./fake-sys.ts";

const agentProgram = programs["agent"]!.run;

const two = ["scripted/low", "scripted/high"];
const callEcho = (args: object = {}) => ({ call: [{ tool: "echo", args: args as never }] });
const modelsOf = ({ requests }: ReturnType<typeof fakeSys>) => requests.map(({ model }) => model);

describe("a cut-off answer", () => {
  const scripts = {
    low: { turns: [{ say: "half an", finish: "length" as const }] },
    high: { turns: [{ say: "a whole answer" }] },
  };

  test("is thrown away and asked again one rung up", async () => {
    const fake = fakeSys({ scripts, manifest: { model: two, escalate_on: ["cutoff"] } });

    expect(await agentProgram(fake.sys, "x")).toBe("a whole answer");
    expect(modelsOf(fake)).toEqual(two);
    expect(fake.shown[1]).toEqual(fake.shown[0]);
  });

  test("is a failure where it is no reason to climb, and on the last rung", async () => {
    const other = fakeSys({ scripts, manifest: { model: two, escalate_on: ["loop"] } });
    const last = fakeSys({
      scripts: { ...scripts, high: scripts.low },
      manifest: { model: two, escalate_on: ["cutoff"] },
    });

    await expect(agentProgram(other.sys, "x")).rejects.toMatchObject({ code: "EUPSTREAM" });
    await expect(agentProgram(last.sys, "x")).rejects.toMatchObject({
      message: "scripted/high was cut off at its limit of tokens",
    });
    expect(modelsOf(last)).toEqual(two);
  });
});

describe("a loop", () => {
  test("makes it climb before it ends it, and the call is not made again", async () => {
    const fake = fakeSys({
      scripts: {
        low: { turns: [{ when: {}, ...callEcho() }] },
        high: { turns: [{ when: { contains: "5 times in a row" }, say: "enough" }] },
      },
      manifest: { model: two, escalate_on: ["loop"] },
    });

    expect(await agentProgram(fake.sys, "x")).toBe("enough");
    expect(fake.signals).toEqual([]);
    expect(fake.calls.filter((name) => name === "exec")).toHaveLength(4);
    expect(modelsOf(fake).at(-1)).toBe("scripted/high");
  });

  test("of the next model is counted anew, and ends by SIGLOOP when no rung is left", async () => {
    const loops = { turns: [{ when: {}, ...callEcho() }] };
    const fake = fakeSys({
      scripts: { low: loops, high: loops },
      manifest: { model: two, escalate_on: ["loop"] },
    });

    await expect(agentProgram(fake.sys, "x")).rejects.toMatchObject({ code: "EUPSTREAM" });
    expect(fake.signals).toEqual(["SIGLOOP"]);
    expect(modelsOf(fake).filter((model) => model === "scripted/high")).toHaveLength(5);
  });

  test("of two calls in turn is one", async () => {
    const fake = fakeSys({
      script: {
        turns: [
          { when: { contains: '{"n":1}' }, ...callEcho({ n: 2 }) },
          { when: {}, ...callEcho({ n: 1 }) },
        ],
      },
    });

    await expect(agentProgram(fake.sys, "x")).rejects.toMatchObject({ code: "EUPSTREAM" });
    expect(fake.signals).toEqual(["SIGLOOP"]);
    expect(fake.calls.filter((name) => name === "exec")).toHaveLength(9);
  });
});

describe("replan", () => {
  test("is offered while there is a rung for it; the next model begins again", async () => {
    const fake = fakeSys({
      scripts: {
        low: {
          turns: [{ call: [{ tool: "replan", args: { reason: "lost" } }, { tool: "echo" }] }],
        },
        high: { turns: [{ when: { contains: "not run" }, say: "done" }] },
      },
      manifest: { model: two, escalate_on: ["replan"] },
    });

    expect(await agentProgram(fake.sys, "x")).toBe("done");
    expect(fake.calls).not.toContain("exec");
    const offered = fake.requests.map(({ tools = [] }) =>
      tools.some((one) => one.name === "replan"),
    );
    expect(offered).toEqual([true, false]);
    expect(fake.shown[1]!.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
    expect(fake.shown[1]![2]!.content).toContain("Begin again");
  });

  test("an answer that was repaired in vain is a reason too", async () => {
    const fake = fakeSys({
      scripts: {
        low: { turns: [{ when: {}, say: "no" }] },
        high: { turns: [{ when: {}, say: "1" }] },
      },
      manifest: {
        model: two,
        escalate_on: ["replan"],
        output: { schema: { type: "integer" } },
      },
    });

    expect(await agentProgram(fake.sys, "x")).toBe(1);
    expect(modelsOf(fake)).toEqual([...Array.from({ length: 3 }, () => two[0]), two[1]]);
  });

  test("where there is no ladder for it it is no tool", async () => {
    const fake = fakeSys({
      script: { turns: [{ call: [{ tool: "replan" }] }, { say: "{{last}}" }] },
    });

    expect(await agentProgram(fake.sys, "x")).toContain("ENOENT");
  });
});

describe("confidence", () => {
  const unsure = { turns: [{ when: {}, say: "Perhaps.\nconfidence: 0.4" }] };
  const sure = { turns: [{ when: {}, say: "Yes.\nconfidence: 0.9" }] };
  const confidence = { threshold: 0.7 };

  test("of an answer that is sure enough is taken off", async () => {
    const { sys, shown, ends } = fakeSys({ script: sure, manifest: { confidence } });

    expect(await agentProgram(sys, "x")).toBe("Yes.");
    expect(shown[0]![0]!.content).toContain("confidence: N");
    expect(ends).toEqual([]);
  });

  test("below the threshold: no answer and 101, or the answer and 102", async () => {
    const declined = fakeSys({ script: unsure, manifest: { confidence } });
    const given = fakeSys({
      script: unsure,
      manifest: { confidence: { ...confidence, below: "answer" } },
    });

    await agentProgram(declined.sys, "x");
    await agentProgram(given.sys, "x");

    const reason = expect.stringContaining("0.4 sure of its answer, and 0.7 is asked for");
    expect(declined.ends).toEqual([{ code: 101, output: null, reason }]);
    expect(given.ends).toEqual([{ code: 102, output: "Perhaps.", reason }]);
  });

  test("makes it climb while there is a rung, and says 101 on the last", async () => {
    const manifest = { model: two, confidence, escalate_on: ["low_confidence" as const] };
    const climbs = fakeSys({ scripts: { low: unsure, high: sure }, manifest });
    const ends = fakeSys({ scripts: { low: unsure, high: unsure }, manifest });

    expect(await agentProgram(climbs.sys, "x")).toBe("Yes.");
    expect(climbs.shown[1]).toEqual(climbs.shown[0]);
    await agentProgram(ends.sys, "x");
    expect(modelsOf(ends)).toEqual(two);
    expect(ends.ends).toMatchObject([{ code: 101 }]);
  });

  test("beside an answer with a schema", async () => {
    const script = { turns: [{ say: '{"answer": {"n": 4}, "confidence": 0.8}' }] };
    const schema = { type: "object", properties: { n: { type: "integer" } } };
    const { sys, requests } = fakeSys({ script, manifest: { confidence, output: { schema } } });

    expect(await agentProgram(sys, "x")).toEqual({ n: 4 });
    expect((requests[0]!.output!.schema as { properties: Json }).properties).toMatchObject({
      answer: schema,
    });
  });
});
