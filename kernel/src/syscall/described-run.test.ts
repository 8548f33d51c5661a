// What is said of a call before it runs, beyond its touches: what it may reach, what would run, which edge of a pipe
// it is on. Approvals and "always" are bound to it.

import type { InspectedCall, Json, SyscallName, Tool, Touch } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { formatCapability } from "../capability/index.ts";
import { describe as describeCall, worstOf } from "./action.ts";
import { coverageOf } from "./coverage.ts";
import { reachOf } from "./reach.ts";
import { callerIdentity, identifyRun, inspectNothing } from "./run-identity.ts";
import { argsOf, subjectOf } from "./subject.ts";
import { execArgs, gateOf, saidBy } from "../../../tests/helpers/kernel/gate.ts";
import {
  actionOf,
  devicesOf,
  execOf,
  processOf,
  TEST_NOW,
  thrownBy,
  toolOf,
} from "../../../tests/helpers/kernel/process.ts";

const http: Touch = { kind: "http", resource: "a.com:443/x", verb: "get" };
const secret: Touch = { kind: "secret", resource: "KEY", verb: "use" };
const HELD = ["tool:*:call", "http:b.com:get", "browser:c.com/**:navigate", "secret:*:use"];

/** What the question would show that it may reach. */
const reached = (touches: readonly Touch[], more: Partial<Tool> = {}): string[] => {
  const process = processOf({ capabilities: HELD });
  const tool = toolOf("go", { sinks: () => ["egress"], touches: () => [...touches], ...more });
  return reachOf(process, execOf(process, "go", {}, [tool])).map(formatCapability);
};

describe("REACH-1: what a call may reach", () => {
  test("pages and hosts, where it names none", () => {
    expect(reached([])).toEqual(["browser:c.com/**:navigate", "http:b.com/**:get"]);
  });

  test("the host that it names, and neither others nor pages", () => {
    expect(reached([http])).toEqual(["http:a.com:443/**:get,head"]);
  });

  test("every secret, where its tool is somebody else's and names none", () => {
    const source = "mcp" as never;

    expect(reached([http], { source })).toContain("secret:*:use");
    expect(reached([http, secret], { source })).not.toContain("secret:*:use");
    expect(reached([http])).not.toContain("secret:*:use");
  });

  test("is listed in order, each once", () => {
    const mayTouch = () =>
      ["z.com", "a.com", "m.com", "a.com"].map((host): Touch => ({
        kind: "http",
        resource: `${host}/**`,
        verb: "get",
      }));

    expect(reached([], { mayTouch, sinks: () => [] })).toEqual([
      "http:a.com/**:get",
      "http:m.com/**:get",
      "http:z.com/**:get",
    ]);
  });
});

describe("RUN-IDENTITY-1: what would run", () => {
  const bare = processOf({});
  const inFolder = processOf({ row: { spec: { folder: "/p" } as never } });

  test("the project is named to the inspection where there is one", async () => {
    const seen: InspectedCall[] = [];
    const inspect = (call: InspectedCall) => {
      seen.push(call);
      return inspectNothing(call);
    };
    await identifyRun(inspect, bare, execOf(bare, "look"));
    await identifyRun(inspect, inFolder, execOf(inFolder, "look"));

    expect(seen[0]).not.toHaveProperty("folder");
    expect(seen[1]).toMatchObject({ folder: "/p" });
  });

  test("a tool without a digest of its code has none", async () => {
    const { shown } = await identifyRun(inspectNothing, bare, execOf(bare, "look"));
    const coded = toolOf("coded", { identity: async () => "sha256:1" } as never);
    const other = await identifyRun(inspectNothing, bare, execOf(bare, "coded", {}, [coded]));

    expect(shown.tool).toEqual({ name: "look", version: "1", digest: null });
    expect(other.shown.tool).toMatchObject({ digest: "sha256:1" });
  });

  test("the project and the workspace are null where there are none, and else shown", async () => {
    expect(callerIdentity(bare)).toMatchObject({
      program: "writer",
      project: null,
      workspace: { kind: "private", folder: null },
    });
    expect(callerIdentity(inFolder)).toMatchObject({ project: "/p" });
    const nothing = await inspectNothing({ workspace: {} } as never);
    expect(nothing).toEqual({ project: null, workspaceFolder: null, files: [] });
  });

  test.each([
    ["/w", true, "copy"],
    ["/w", false, "direct"],
    [undefined, false, "private"],
  ])("a workspace of %s (copied: %s) is %s", (folder, isCow, kind) => {
    const { row } = bare;
    const identity = callerIdentity({ row, place: { workspace: { folder, isCow } } } as never);

    expect(identity.workspace).toEqual({ kind, folder: folder ?? null });
  });
});

test("an approval without a run covers nothing that is reached, and no files", () => {
  expect(coverageOf(["org/x"], [], undefined)).toMatchObject({ reach: [], files: [] });
});

test("a question that nobody could be shown is refused and not asked", async () => {
  const rules = [{ id: "big", ask: "exec" }];
  const gate = gateOf({ capabilities: ["tool:*:call"], rules, says: () => saidBy("ada") });

  expect(await gate.pass("exec", execArgs("pay2", { text: "x".repeat(100_000) }))).toBe("EDENIED");
  expect(gate.asked).toEqual([]);
  await gate.pass("exec", execArgs("pay2"));
  expect(gate.asked).toHaveLength(1);
});

describe("what is described", () => {
  const pipe = { out: { edge: "digest/read/write" } };
  const stage = processOf({ row: { spec: { pipe } as never } });

  test("a value for the next stage of a pipe has its edge, and touches nothing", () => {
    const given = actionOf(stage, "write", { path: "/ipc/pipes/out", data: 1 });
    const judged = { pinned: false, atMs: TEST_NOW, isBegun: false };

    expect(given).toMatchObject({ edge: "digest/read/write", touches: [] });
    expect(subjectOf(stage, given, judged)).toMatchObject({ edge: "digest/read/write" });
    expect(subjectOf(stage, execOf(stage, "look"), judged)).not.toHaveProperty("edge");
    expect(actionOf(stage, "remove", { path: "/ipc/pipes/out" }).edge).toBeUndefined();
    expect(actionOf(stage, "write", { path: "/mem/a", data: 1 }).edge).toBeUndefined();
    expect(argsOf(given)).toMatchObject({ data: 1 });
  });

  test("a file of the machine that a mount hides is refused", () => {
    const process = processOf({});
    const read = toolOf("file.read", {
      touches: () => [{ kind: "file", resource: "/srv/docs/a", verb: "read" }],
    });
    const devices = devicesOf(read);
    const asked: unknown[] = [];
    devices.refuseMounted = (touches) => {
      asked.push(touches);
      throw new Error("it is on a mount");
    };

    const described = () =>
      describeCall({ name: "exec", args: { tool: "file.read", args: {} } }, process, devices, {});

    expect(described).toThrow("it is on a mount");
    expect(asked[0]).toContainEqual({ kind: "file", resource: "/srv/docs/a", verb: "read" });
  });

  test.each([
    [{ usd: Number.NaN, tokens: 1 }],
    [{ usd: 1, tokens: Number.NaN }],
    [{ usd: -1, tokens: 1 }],
  ])("a model that does not say what a request can cost is not asked: %j", (worst) => {
    const model = { worstCase: () => worst } as never;

    expect(thrownBy(() => worstOf(model, { model: "m", messages: [] }))).toMatchObject({
      code: "EUPSTREAM",
      message: "m does not say what a request can cost at most",
    });
  });

  test.each<[SyscallName, Json]>([
    ["read", { tool: "look", args: {} }],
    ["infer", { model: "far/x" }],
    ["infer", { tool: "look", args: {} }],
    ["exec", { model: "far/x", messages: [] }],
  ])("arguments of another call are refused: %s %j", (name, args) => {
    expect(thrownBy(() => actionOf(processOf({}), name, args))).toMatchObject({ code: "EINVAL" });
  });

  test("files of the workspace have no pages", () => {
    const tools = ["file.read", "file.list"].map((name) => toolOf(name));
    const action = (name: SyscallName, args: Json) =>
      actionOf(processOf({}), name, args, { tools });

    for (const args of [
      { path: "/work", limit: 3 },
      { path: "/work", cursor: "x" },
    ])
      expect(thrownBy(() => action("list", args))).toMatchObject({
        code: "EINVAL",
        message: "list: files of the workspace have no pages",
      });
    expect(action("list", { path: "/work" }).call).toBe("list");
    expect(action("read", { path: "/work/a" }).call).toBe("read");
  });

  test("WORK-FILES-1: below /mnt the tool is the connector's, which has the call whole", () => {
    const devices = devicesOf();
    const named: string[] = [];
    devices.connector = (name) => {
      named.push(name);
      return toolOf(name, { refuses: (args) => `it has ${JSON.stringify(args)}` });
    };
    const described = () =>
      describeCall({ name: "read", args: { path: "/mnt/docs/a/b" } }, processOf({}), devices, {});

    expect(described).toThrow('it has {"call":"read","path":"/mnt/docs/a/b"}');
    expect(named).toEqual(["mnt.docs"]);
  });
});
