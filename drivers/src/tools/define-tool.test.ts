import type { Json } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type ToolDefinition } from "./define-tool.ts";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";

const input = z.strictObject({ city: z.string(), days: z.number().default(1) });
const HERE = { workspace: { isCow: false } };

const define = (more: Partial<ToolDefinition<typeof input>> = {}) =>
  defineTool({
    name: "weather.now",
    version: "1",
    description: "Says the weather.",
    input,
    effect: "read",
    run: async ({ city }) => ({ city }),
    ...more,
  });

describe("DEFINE-TOOL-1: only arguments that fit are seen", () => {
  test("by run, touches and sinks, with what is there unless said", async () => {
    const seen: unknown[] = [];
    const see = (args: z.output<typeof input>) => (seen.push(args), []);
    const tool = define({ touches: see, sinks: see, run: async (args) => (see(args), null) });

    tool.touches({ city: "Bern" }, HERE);
    tool.sinks?.({ city: "Bern" }, HERE);
    await tool.run({ city: "Bern" }, deviceContextForTest());

    expect(seen).toEqual(Array(3).fill({ city: "Bern", days: 1 }));
  });

  test("others are refused everywhere, and what is wrong is said", async () => {
    const tool = define({ touches: () => [], sinks: () => [] });

    expect(tool.refuses?.({ city: "Bern" })).toBeUndefined();
    expect(tool.refuses?.({ town: "Bern" })).toMatch(/city/);
    expect(() => tool.touches({ city: 1 }, HERE)).toThrow(/city/);
    expect(() => tool.sinks?.({ city: 1 }, HERE)).toThrow(/city/);
    await expect(tool.run({ city: 1 }, deviceContextForTest())).rejects.toMatchObject({
      code: "EINVAL",
    });
  });
});

describe("DEFINE-TOOL-2: what it returns", () => {
  const output = z.strictObject({ celsius: z.number().max(60), sky: z.string().default("clear") });
  const returning = (result: Json) =>
    define({ output, run: async () => result }).run({ city: "Bern" }, deviceContextForTest());

  test("is given when it fits, with what is there unless said", async () => {
    expect(await returning({ celsius: 12 })).toEqual({ celsius: 12, sky: "clear" });
  });

  test.each<[Json, RegExp]>([
    [{ celsius: "12" }, /celsius/],
    [{ celsius: 100 }, /celsius/],
    [{ celsius: 12, wind: 3 }, /wind/],
    [null, /expected object/],
  ])("is a failure that names the field when it is %j", async (result, field) => {
    await expect(returning(result)).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringMatching(/the result of weather.now does not match its output schema/),
    });
    await expect(returning(result)).rejects.toThrow(field);
  });

  test("is anything without an output schema", async () => {
    const tool = define({ run: async () => [1, "2"] });

    expect(await tool.run({ city: "Bern" }, deviceContextForTest())).toEqual([1, "2"]);
  });
});

describe("what is said of a tool", () => {
  test("is what was stated, the schemas as JSON Schema, and nothing that was not", () => {
    const plain = define();
    const full = define({
      output: z.object({ celsius: z.number() }),
      tags: ["weather"],
      hints: { ms: 5 },
      undo: "workspace",
      sandbox: "process",
      deprecated: "use weather.here",
      needs: ["http:a.example/**:get"],
      authority: ["city"],
      egress: true,
    });

    expect(plain.input).toMatchObject({ type: "object", required: ["city"] });
    expect(plain.input).not.toHaveProperty("$schema");
    expect(Object.keys(plain).toSorted()).toEqual(
      "description effect input name refuses run touches version".split(" "),
    );
    expect(full).toMatchObject({
      output: { properties: { celsius: { type: "number" } } },
      tags: ["weather"],
      hints: { ms: 5 },
      undo: "workspace",
      sandbox: "process",
      deprecated: "use weather.here",
      needs: ["http:a.example/**:get"],
      authority: ["city"],
      egress: true,
    });
  });

  test("touches and sinks may be data", () => {
    const tool = define({
      touches: [{ kind: "http", resource: "a.example/{city}", verb: "get" }],
      sinks: ["egress"],
    });

    expect(tool.touches({ city: "Bern" }, HERE)).toEqual([
      { kind: "http", resource: "a.example/Bern", verb: "get" },
    ]);
    expect(tool.sinks?.({ city: "Bern" }, HERE)).toEqual(["egress"]);
  });
});

test("a call that was stopped before it began does not run", async () => {
  const signal = AbortSignal.abort();
  let hasRun = false;
  const tool = define({ run: async () => (hasRun = true) });

  await expect(tool.run({ city: "Bern" }, deviceContextForTest({ signal }))).rejects.toMatchObject({
    code: "EINTR",
  });
  expect(hasRun).toBe(false);
});
