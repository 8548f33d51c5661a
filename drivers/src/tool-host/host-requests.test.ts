import {
  type CallPlace,
  type Effect,
  type Json,
  type Sink,
  type Tool,
  type Touch,
} from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { serveHostRequest, type HostRequestContext } from "./host-requests.ts";

const PLACE: CallPlace = { workspace: { isCow: false } };

function fakeTool(name: string, effect: Effect, sinks: readonly Sink[], egress = false) {
  const ran: Json[] = [];
  const tool: Tool = {
    name,
    version: "1",
    description: "",
    input: {},
    effect,
    egress,
    touches: () => [{ kind: "test", resource: name, verb: "use" }],
    sinks: () => sinks,
    refuses: (args) => ((args as { bad?: true }).bad ? "that is bad" : undefined),
    run: async (args) => (ran.push(args), name),
  };
  return { tool, ran };
}

function setUp(
  stated: Partial<HostRequestContext["stated"]>,
  context = deviceContextForTest(),
  sinksOfWrite: readonly Sink[] = ["write"],
) {
  const made = {
    "file.read": fakeTool("file.read", "read", []),
    "file.list": fakeTool("file.list", "read", []),
    "file.write": fakeTool("file.write", "idempotent", sinksOfWrite),
    "http.fetch": fakeTool("http.fetch", "read", ["egress"], true),
    "http.send": fakeTool("http.send", "external", ["egress"], true),
  };
  const requestContext: HostRequestContext = {
    tools: new Map(Object.entries(made).map(([name, { tool }]) => [name, tool])),
    context,
    place: PLACE,
    stated: { name: "a.b", effect: "read", egress: false, sinks: [], ...stated },
  };
  return { made, context, serveRequest: serveHostRequest.bind(undefined, requestContext) };
}

const everything = { effect: "external", egress: true, sinks: ["egress", "write"] } as const;

describe("a request of a host", () => {
  test.each([
    ["read", { path: "/a" }, "file.read", { path: "/a" }],
    ["list", { path: "/a" }, "file.list", { path: "/a" }],
    ["write", { path: "/a", text: "" }, "file.write", { path: "/a", text: "" }],
    ["fetch", { url: "u" }, "http.fetch", { url: "u", method: "get" }],
    ["fetch", { url: "u", method: "HEAD" }, "http.fetch", { url: "u", method: "head" }],
    ["fetch", { url: "u", method: "post" }, "http.send", { url: "u", method: "post" }],
  ] as const)("%s %j is done by %s", async (what, args, name, given) => {
    const { serveRequest, made, context } = setUp(everything);

    expect(await serveRequest(what, args)).toBe(name);
    expect(made[name].ran).toEqual([given]);
    expect(context.asked).toEqual([{ kind: "test", resource: name, verb: "use" }]);
  });

  test("HOST-REQUESTS-3: that read a labelled file is joined to the call before its words are told", async () => {
    const secret = { integrity: "trusted", secrecy: "secret" } as const;
    const context = deviceContextForTest({
      fileLabels: (path) => (path === "/real" ? secret : undefined),
    });
    const { serveRequest, made } = setUp(everything, context);
    const link: Tool = {
      ...made["file.read"].tool,
      touches: () => [{ kind: "file", resource: "/link", verb: "read" }],
      run: async (_args, context) => {
        context.authorize({ kind: "file", resource: "/real", verb: "read" });
        throw new Error("half of it");
      },
    };
    const requestContext = { tools: new Map([["file.read", link]]), context, place: PLACE };
    const stated = { name: "a.b", effect: "read", egress: false, sinks: [] } as const;

    await serveRequest("list", { path: "/a" });
    expect(context.saw).toEqual([]);
    await expect(
      serveHostRequest({ ...requestContext, stated }, "read", { path: "/a" }),
    ).rejects.toThrow("half");
    expect(context.saw).toEqual([secret]);
  });

  test("HOST-REQUESTS-1: that the gate refuses is not done", async () => {
    const { serveRequest, made } = setUp(everything, deviceContextForTest({ grants: () => false }));

    await expect(serveRequest("read", { path: "/a" })).rejects.toMatchObject({ code: "EACCES" });
    expect(made["file.read"].ran).toEqual([]);
  });

  test("with arguments that do not fit is refused", async () => {
    const { serveRequest, made } = setUp(everything);

    await expect(serveRequest("read", { bad: true })).rejects.toThrow(/that is bad/);
    await expect(serveRequest("authorize", { kind: "http" })).rejects.toMatchObject({
      code: "EINVAL",
    });
    expect(made["file.read"].ran).toEqual([]);
  });
});

describe("HOST-REQUESTS-2: a tool that has not stated", () => {
  test.each<[string, Partial<HostRequestContext["stated"]>, "write" | "fetch", Json, RegExp]>([
    ["an effect writes nothing", { sinks: ["write"] }, "write", {}, /effect: "idempotent"/],
    ["a sink writes nothing", { effect: "idempotent" }, "write", {}, /sinks: \["write"\]/],
    ["egress gets nothing", { sinks: ["egress"] }, "fetch", {}, /egress: true/],
    ["the sink egress gets nothing", { egress: true }, "fetch", {}, /sinks: \["egress"\]/],
    [
      "an external effect sends nothing",
      { effect: "idempotent", egress: true, sinks: ["egress"] },
      "fetch",
      { method: "post" },
      /effect: "external"/,
    ],
  ])("%s", async (_what, stated, what, args, missing) => {
    const { serveRequest, made, context } = setUp(stated);

    await expect(serveRequest(what, args)).rejects.toMatchObject({
      code: "EACCES",
      message: expect.stringMatching(missing),
    });
    expect(Object.values(made).flatMap(({ ran }) => ran)).toEqual([]);
    expect(context.asked).toEqual([]);
  });

  test("that it destroys, replaces nothing for good", async () => {
    const { serveRequest } = setUp(everything, deviceContextForTest(), ["destructive"]);

    await expect(serveRequest("write", {})).rejects.toThrow(/sinks: \["destructive"\]/);
  });
});

describe("the gate, secrets and people", () => {
  const touch: Touch = { kind: "http", resource: "a.example/", verb: "get" };
  const asked = touch as unknown as Json;

  test("are asked about", async () => {
    const yes = setUp({});
    const no = setUp({}, deviceContextForTest({ grants: () => false }));

    expect(await yes.serveRequest("authorize", asked)).toBeNull();
    expect(yes.context.asked).toEqual([touch]);
    await expect(no.serveRequest("authorize", asked)).rejects.toMatchObject({ code: "EACCES" });
    expect(await yes.serveRequest("permits", asked)).toBe(true);
    expect(await no.serveRequest("permits", asked)).toBe(false);
  });

  test("a secret is had only as a variable of this very tool", async () => {
    const context = deviceContextForTest({ secrets: (name) => `value of ${name}` });
    const { serveRequest } = setUp({}, context);

    expect(await serveRequest("secret", { name: "KEY" })).toBe("value of KEY");
    expect(context.places).toEqual([{ kind: "variable", tool: "a.b", variable: "KEY" }]);
    await expect(serveRequest("secret", { name: "KEY", tool: "c.d" })).rejects.toMatchObject({
      code: "EINVAL",
    });
  });

  test("a person's answer is the answer", async () => {
    const { serveRequest } = setUp(
      {},
      deviceContextForTest({ answers: ({ text }) => `${text} yes` }),
    );

    expect(await serveRequest("ask", { text: "May I?" })).toBe("May I? yes");
  });
});
