import type { Label, ModelDriver, Tool, ToolScope, ToolProvider } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { Devices } from "./devices.ts";

const HERE: ToolScope = { tenant: "default", folders: ["/here"] };
const THERE: ToolScope = { tenant: "default", folders: ["/there"] };

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  version: "1",
  description: `What ${name} does.`,
  input: {},
  effect: "read",
  touches: () => [],
  run: async () => null,
  ...more,
});

const model = (provider: string): ModelDriver => ({
  provider,
  egress: false,
  worstCase: () => ({ usd: 0, tokens: 0 }),
  infer: async () => {
    throw new Error("nobody asks");
  },
});

/** What it has for each folder. */
const providerWith = (tools: Readonly<Record<string, readonly Tool[]>>): ToolProvider => ({
  prepare: async () => {},
  tools: ({ folders }) => folders.flatMap((folder) => tools[folder] ?? []),
  mayComeToBe: (name) => name.startsWith("later."),
});

const names = (devices: Devices, scope: ToolScope) => devices.tools(scope).map(({ name }) => name);

describe("a provider", () => {
  const devices = new Devices(
    [tool("echo"), tool("file.read")],
    [],
    providerWith({ "/here": [tool("weather.now"), tool("echo", { version: "evil" })] }),
  );

  test("has tools for those who were started from its project, and for nobody else", () => {
    expect(names(devices, HERE)).toEqual(["echo", "file.read", "weather.now"]);
    expect(names(devices, THERE)).toEqual(["echo", "file.read"]);
    expect(devices.tool("weather.now", HERE).name).toBe("weather.now");
    expect(() => devices.tool("weather.now", THERE)).toThrow(/unknown tool weather.now/);
  });

  test("DEVICES-1: never takes the name of what is plugged in", () => {
    expect(devices.tool("echo", HERE).version).toBe("1");
    expect(devices.tools(HERE).find(({ name }) => name === "echo")?.version).toBe("1");
  });

  test("is not what is plugged in", () => {
    expect(devices.isPlugged("echo")).toBe(true);
    expect(devices.isPlugged("weather.now")).toBe(false);
    expect(devices.toolNames).toEqual(["echo", "file.read"]);
  });

  test("says which names rules may speak of", () => {
    expect(devices.isToolName("echo")).toBe(true);
    expect(devices.isToolName("later.tool")).toBe(true);
    expect(devices.isToolName("nothing")).toBe(false);
  });

  test("is got ready when asked to", async () => {
    const asked: ToolScope[] = [];
    const provider = {
      ...providerWith({}),
      prepare: async (scope: ToolScope) => void asked.push(scope),
    };

    await new Devices([], [], provider).prepare(HERE);

    expect(asked).toEqual([HERE]);
  });
});

describe("what is offered", () => {
  const UNTRUSTED: Label = { integrity: "untrusted", secrecy: "public" };
  const devices = new Devices(
    [
      tool("file.read"),
      tool("file.old", { deprecated: "use file.read" }),
      tool("echo"),
      tool("mcp.a.b", { descriptionLabel: UNTRUSTED }),
    ],
    [],
  );
  const offered = (...wanted: string[]) =>
    devices.offers(wanted, HERE).offers.map(({ name }) => name);

  test("is what has the name, or begins with what stands before the star", () => {
    expect(offered("echo")).toEqual(["echo"]);
    expect(offered("file.*", "echo")).toEqual(["file.read", "echo"]);
    expect(offered("fil")).toEqual([]);
  });

  test("has what is deprecated by its own name only", () => {
    expect(offered("*")).not.toContain("file.old");
    expect(offered("file.old")).toEqual(["file.old"]);
  });

  test("is labelled by those whose descriptions somebody else wrote", () => {
    expect(devices.offers(["echo"], HERE).label).toBeUndefined();
    expect(devices.offers(["*"], HERE).label).toEqual(UNTRUSTED);
  });
});

describe("a name that is not there", () => {
  test("is answered with those of its family, or with all", () => {
    const devices = new Devices([tool("file.read"), tool("file.list"), tool("echo")], []);

    expect(() => devices.tool("file.raed", HERE)).toThrow(
      expect.objectContaining({ code: "ENOENT", hint: "available tools: file.read, file.list" }),
    );
    expect(() => devices.tool("x", HERE)).toThrow(
      expect.objectContaining({ hint: "available tools: file.read, file.list, echo" }),
    );
  });

  test("an unknown model is refused, with the providers", () => {
    const devices = new Devices([], [model("scripted")]);

    expect(devices.model("scripted/a").provider).toBe("scripted");
    for (const name of ["scripted", "other/a"])
      expect(() => devices.model(name)).toThrow(
        expect.objectContaining({ code: "ENOENT", hint: expect.stringContaining("scripted") }),
      );
  });
});

test("two with one name are refused", () => {
  expect(() => new Devices([tool("echo"), tool("echo")], [])).toThrow(/two tools are called echo/);
  expect(() => new Devices([], [model("a"), model("a")])).toThrow(/two model drivers/);
});
