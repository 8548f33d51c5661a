import type { DeviceContext, Json, JsonObject, Tool } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { hostedTool, type HostedToolOptions } from "./hosted-tool.ts";
import type { HostCall, ToolHost } from "./tool-host.ts";

const STATED: JsonObject = {
  file: "file:///p/.agents/tools/a.ts",
  name: "weather.now",
  version: "2",
  description: "Says the weather.",
  effect: "read",
  input: {
    type: "object",
    properties: { city: { type: "string" }, unit: { type: "string", default: "C" } },
    required: ["city"],
    additionalProperties: false,
  },
  touches: [{ kind: "http", resource: "a.example/{unit}/{city}", verb: "get" }],
};

const HERE = { workspace: { isCow: false } };
const IN_OWN_FOLDER = { workspace: { folder: "/home/me/p", isCow: false } };
const IN_COPY = { workspace: { folder: "/home/me/p", isCow: true } };

type Answer = (call: HostCall, tool: string, args: Json) => Promise<Json>;

function hosted(more: JsonObject = {}, answer: Answer = async () => null, tools: Tool[] = []) {
  const host = {
    call: (tool: string, args: Json, call: HostCall) => answer(call, tool, args),
  } as unknown as ToolHost;
  const means: HostedToolOptions = {
    digest: "abcdef0123456789",
    callMs: 1000,
    requestTools: new Map(tools.map((tool) => [tool.name, tool])),
    use: (_context: DeviceContext, work) => work(host, "a strong box"),
  };
  return hostedTool({ ...STATED, ...more }, means);
}

describe("HOSTED-TOOL-1: what the gate is told", () => {
  test("is what was stated, and of which text", () => {
    const tool = hosted({ tags: ["weather"], deprecated: "use weather.here" });

    expect(tool).toMatchObject({
      name: "weather.now",
      version: "2+abcdef012345",
      source: "project",
      sandbox: "process",
      tags: ["weather"],
      deprecated: "use weather.here",
      input: STATED["input"],
    });
    expect(tool).not.toHaveProperty("label");
    expect(tool).not.toHaveProperty("file");
  });

  test("has what is there unless said", () => {
    expect(hosted().touches({ city: "Bern" }, HERE)).toEqual([
      { kind: "http", resource: "a.example/C/Bern", verb: "get" },
    ]);
  });

  test("says what does not fit", () => {
    const tool = hosted();

    expect(tool.refuses?.({ city: "Bern" })).toBeUndefined();
    expect(tool.refuses?.({ city: 1 })).toMatch(/city/);
    expect(tool.refuses?.({ city: "Bern", more: 1 })).toMatch(/more/);
    expect(() => tool.touches({}, HERE)).toThrow(/weather.now/);
  });

  test.each<[JsonObject, Record<"own" | "copy" | "none", string[]>]>([
    [{}, { none: [], own: [], copy: [] }],
    [{ egress: true }, { none: ["egress"], own: ["egress"], copy: ["egress"] }],
    [{ effect: "external" }, { none: ["egress"], own: ["egress"], copy: ["egress"] }],
    [{ effect: "idempotent" }, { none: ["write"], own: ["write", "destructive"], copy: ["write"] }],
    [
      { effect: "external", sinks: ["write"] },
      { none: ["write"], own: ["write", "destructive"], copy: ["write"] },
    ],
    [
      { effect: "read", sinks: [], egress: true },
      { none: ["egress"], own: ["egress"], copy: ["egress"] },
    ],
  ])("where it goes, by %j", (more, { none, own, copy }) => {
    const tool = hosted(more);
    const sinks = (place: typeof HERE) => tool.sinks?.({ city: "Bern" }, place);

    expect(sinks(HERE)).toEqual(none);
    expect(sinks(IN_OWN_FOLDER)).toEqual(own);
    expect(sinks(IN_COPY)).toEqual(copy);
  });
});

test("HOSTED-TOOL-2: a regular expression of the schema is not run here", () => {
  const tool = hosted({
    input: {
      type: "object",
      properties: { city: { type: "string", pattern: "^(a+)+$" }, unit: { enum: ["pattern"] } },
      patternProperties: { "^x": {} },
      additionalProperties: false,
    },
  });

  expect(tool.refuses?.({ city: `${"a".repeat(50)}!`, xyz: 1, unit: "pattern" })).toBeUndefined();
  expect(tool.refuses?.({ city: 7 })).toMatch(/city/);
  expect(tool.refuses?.({ unit: "other" })).toMatch(/unit/);
});

describe("a statement is refused", () => {
  test.each<[JsonObject, RegExp]>([
    [{ name: "Weather Now" }, /a name like/],
    [{ label: { integrity: "trusted", secrecy: "public" } }, /label/],
    [{ effect: "none" }, /effect/],
    [{ description: "" }, /description/],
    [
      { touches: [{ kind: "http", resource: "a/{town}", verb: "get" }] },
      /"town" is not an argument/,
    ],
    [{ touches: [{ kind: "h t", resource: "a", verb: "get" }] }, /a word/],
    [{ sinks: ["nowhere"] }, /sinks/],
  ])("%j", (more, why) => {
    expect(() => hosted(more)).toThrow(why);
  });

  test("has a schema that is too long", () => {
    const input = { type: "object", description: "x".repeat(300_000) };

    expect(() => hosted({ input, touches: [] })).toThrow(/schema has more than/);
  });
});

describe("a call", () => {
  test("goes to the host with what it may know, and what held it is said", async () => {
    const context = deviceContextForTest({ workspace: { folder: "/home/me/p", isCow: true } });
    const tool = hosted({}, async ({ told, timeoutMs }, name, args) => ({
      told: told as unknown as Json,
      timeoutMs,
      name,
      args,
    }));

    expect(await tool.run({ city: "Bern" }, context)).toEqual({
      told: {
        pid: "agt_test",
        tenant: "default",
        tree: "agt_test",
        key: "k",
        workspace: { isCow: true },
      },
      timeoutMs: 1000,
      name: "weather.now",
      args: { city: "Bern" },
    });
    expect(context.held).toEqual(["a strong box"]);
  });

  test("HOSTED-TOOL-3: is untrusted", async () => {
    const context = deviceContextForTest();

    await hosted().run({ city: "Bern" }, context);

    expect(context.labels).toEqual([{ integrity: "untrusted", secrecy: "public" }]);
  });

  test("is told nothing that is not asked of the gate; what is left over is stopped", async () => {
    const context = deviceContextForTest();
    let signal: AbortSignal | undefined;
    let seen: DeviceContext | undefined;
    const read: Tool = {
      ...hosted(),
      name: "file.read",
      touches: () => [],
      sinks: () => [],
      refuses: () => undefined,
      run: (_args, given) => {
        ({ signal } = given);
        seen = given;
        return new Promise(() => {});
      },
    };
    const tool = hosted(
      {},
      async ({ serveRequest }) => {
        void serveRequest("read", { path: "/a" });
        return null;
      },
      [read],
    );

    await tool.run({ city: "Bern" }, context);

    expect(signal?.aborted).toBe(true);
    const touch = { kind: "file", resource: "/a", verb: "read" };
    expect(() => seen?.authorize(touch)).toThrow(/has ended/);
    expect(seen?.permits(touch)).toBe(false);
    expect(() => seen?.granted("file")).toThrow(/has ended/);
    expect(() => seen?.secret("a", { kind: "variable", tool: "t", variable: "v" })).toThrow(
      /has ended/,
    );
    await expect(seen?.ask({ text: "?" })).rejects.toThrow(/has ended/);
    await expect(seen?.mayWriteBelow("/a")).rejects.toThrow(/has ended/);
    expect(context.asked).toEqual([]);
  });
});
