// What a running call turns out to touch: judged, counted, marked and recorded like what it said before.

import { SysError, type HeldPattern, type Touch } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { labelText } from "../label/label.ts";
import { asking, execArgs, gateOf } from "../../../tests/helpers/kernel/gate.ts";
import { TEST_NOW, toolOf } from "../../../tests/helpers/kernel/process.ts";

const ALL = ["tool:*:call", "file:/**:read", "model:*:infer"];

describe("what a running call turns out to touch", () => {
  const FILE = (max: number) => ["tool:*:call", `file:/**:read{max:${max}}`];

  test("is asked about once, counted, and recorded", async () => {
    const tools = [asking("open", ["/a", "/a", "/b", "/c"])];
    const { pass, records, writes } = gateOf({ capabilities: FILE(2), tools });

    expect(await pass("exec", execArgs("open"))).toEqual(["ok", "ok", "ok", "EACCES"]);

    const also = [
      ["file", "/a", "read"],
      ["file", "/b", "read"],
    ];
    expect(records).toMatchObject([{ also }]);
    expect(writes.length).toBe(2);
  });

  test("what it said beforehand is not counted again; another kind, verb or place is asked about", async () => {
    const before: Touch = { kind: "file", resource: "/a", verb: "read" };
    const others = [{ verb: "write" }, { kind: "memory" }, { resource: "/b" }];
    const touches = [before, ...others.map((other) => ({ ...before, ...other }))];
    const tools = [asking("open", touches, { touches: () => [before] })];
    const { pass } = gateOf({ capabilities: ["tool:*:call", "file:/a:read{max:1}"], tools });

    expect(await pass("exec", execArgs("open"))).toEqual(["ok", "EACCES", "EACCES", "EACCES"]);
  });

  test("adds to what the call stands on, beside what it stood on before", async () => {
    let chains: string[] = [];
    const tool = asking("open", ["/a"]);
    const spied: ReturnType<typeof gateOf> = gateOf({
      capabilities: ALL,
      tools: [
        {
          ...tool,
          run: async (args, context) => {
            const said = await tool.run(args, context);
            chains = [...spied.process.pending.values()][0]!.chains.map(({ id }) => id);
            return said;
          },
        },
      ],
    });

    await spied.pass("exec", execArgs("open"));

    expect(chains).toEqual(["birth", "birth"]);
  });

  test("arms rules that hit later calls, and neither this one nor what it armed before", async () => {
    const rules = [
      { id: "one", after: "file:/a", deny: "file:/c" },
      { id: "two", after: "file:/b", deny: "file:/c" },
    ];
    const tools = [asking("open", ["/a", "/b", "/c"])];
    const { pass, process } = gateOf({ capabilities: ALL, rules, tools });

    expect(await pass("exec", execArgs("open"))).toEqual(["ok", "ok", "ok"]);
    expect(labelText(process.label)).toBe("trusted/public#org.one,org.two");
    expect(await pass("exec", execArgs("open"))).toEqual(["ok", "ok", "EPOLICY"]);
  });

  test("is marked with what its writer has read, where the tool writes", async () => {
    const writes = gateOf({
      capabilities: ALL,
      tools: [asking("open", ["/a", "/b"], { effect: "idempotent" })],
    });
    const reads = gateOf({ capabilities: ALL, tools: [asking("open", ["/a"])] });

    await writes.pass("exec", execArgs("open"));
    await reads.pass("exec", execArgs("open"));

    expect(writes.noted.filter((one) => one.startsWith("mark"))).toEqual([
      "mark open",
      "mark open,/a",
      "mark open,/a,/b",
    ]);
    expect(reads.noted.join()).not.toContain("mark");
  });

  test("the label waits for every mark, and a mark that failed fails it", async () => {
    let marks = 0;
    const mark = async () => {
      marks += 1;
      if (marks === 2) throw new SysError("EINTERNAL", "not marked");
    };
    const labelOf = async ({ marked }: { marked: Promise<void> }, label: unknown) => {
      await marked;
      return label as never;
    };
    const tools = [asking("open", ["/a", "/b"], { effect: "idempotent" })];
    const { pass } = gateOf({
      capabilities: ALL,
      tools,
      services: { mark, labelOf: labelOf as never },
    });

    expect(await pass("exec", execArgs("open"))).toBe("EINTERNAL");
    expect(marks).toBe(3);
  });

  test("a mark that failed where nobody waits for it is no accident", async () => {
    let marks = 0;
    const mark = async () => {
      marks += 1;
      if (marks > 1) throw new SysError("EINTERNAL", "not marked");
    };
    const tools = [asking("open", ["/a"], { effect: "idempotent" })];
    const { pass } = gateOf({ capabilities: ALL, tools, services: { mark } });

    expect(await pass("exec", execArgs("open"))).toEqual(["ok"]);
  });
});

describe("what a running call turns out to send", () => {
  const GET: Touch = { kind: "http", resource: "https://example.com/", verb: "get" };
  const capabilities = ["tool:*:call", "http:example.com:get", "file:/a:read"];
  const things = [{ ...GET, verb: "post" }, GET, "/a"];
  const tools = [asking("open", things)];

  test("does not leave the machine with what is secret; files may still be read", async () => {
    const label = { integrity: "trusted", secrecy: "secret" } as const;
    const secret = gateOf({ capabilities, tools, label });
    const open = gateOf({ capabilities, tools });

    expect(await secret.pass("exec", execArgs("open"))).toEqual(["EACCES", "EPOLICY", "ok"]);
    expect(await open.pass("exec", execArgs("open"))).toEqual(["EACCES", "ok", "ok"]);
  });

  test("does not leave with the secret words of a grant that a refusal named before", async () => {
    const spec = { blocks: [{ label: "trusted/secret" }] } as never;
    const { pass } = gateOf({ capabilities, tools, row: { spec } });

    expect(await pass("exec", execArgs("open"))).toEqual(["EACCES", "EPOLICY", "ok"]);
  });

  test("marks no file", async () => {
    const sending = [asking("open", [GET], { effect: "idempotent" })];
    const { pass, noted } = gateOf({ capabilities, tools: sending });

    await pass("exec", execArgs("open"));

    expect(noted.filter((one) => one.startsWith("mark"))).toEqual(["mark open"]);
  });
});

describe("what a driver may ask beforehand", () => {
  const READ = { kind: "file", verb: "read" };

  test("it can ask whether a call would be permitted, with nothing counted", async () => {
    const tool = toolOf("open", {
      run: async (_args, context) =>
        ["/a", "/a", "/b"].map((resource) => context.permits({ ...READ, resource })),
    });
    const capabilities = ["tool:*:call", "file:/a:read{max:1}"];
    const { pass, records } = gateOf({ capabilities, tools: [tool] });

    expect(await pass("exec", execArgs("open"))).toEqual([true, true, false]);
    expect(records[0]).not.toHaveProperty("also");
  });

  test("what it holds of a kind, until when; and the call stands on that from then on", async () => {
    let chains: string[] = [];
    let held: readonly HeldPattern[] = [];
    const spied: ReturnType<typeof gateOf> = gateOf({
      capabilities: ["tool:*:call", "file:/a/**:read", "file:/b/**:read{expires:1h}"],
      tools: [
        toolOf("open", {
          run: async (_args, context) => {
            held = context.granted("file");
            chains = [...spied.process.pending.values()][0]!.chains.map(({ id }) => id);
            return 1;
          },
        }),
      ],
    });

    await spied.pass("exec", execArgs("open"));

    expect(held).toEqual([
      { pattern: "/a/**", verbs: ["read"] },
      { pattern: "/b/**", verbs: ["read"], expiresAt: TEST_NOW + 3_600_000 },
    ]);
    expect(chains).toEqual(["birth", "birth", "birth"]);
  });
});
