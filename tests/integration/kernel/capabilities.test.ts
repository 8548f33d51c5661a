import type { Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf, kindsOf, manifest } from "../../helpers/kernel.ts";

const tries: [string, (sys: Sys, other: string) => Promise<unknown>][] = [
  ["infer", (sys) => sys.infer({ model: "fake/one", messages: [] })],
  ["exec", (sys) => sys.exec("look", {})],
  ["read", (sys) => sys.read("/mem/shared/a")],
  ["write", (sys) => sys.write("/mem/shared/a", 1)],
  ["list", (sys) => sys.list("/mem/shared")],
  ["remove", (sys) => sys.remove("/mem/shared/a")],
  ["search", (sys) => sys.search("/mem/shared", "a")],
  ["open", (sys) => sys.open("/mem/shared/a", "append")],
  ["spawn", (sys) => sys.spawn("other", null)],
  ["wait", (sys, other) => sys.wait(other)],
  ["send", (sys, other) => sys.send(other, 1)],
  ["request", (sys, other) => sys.request(other, 1)],
  ["publish", (sys) => sys.publish("news", 1)],
  ["subscribe", (sys) => sys.subscribe("news")],
  ["signal", (sys, other) => sys.signal(other, "SIGKILL")],
];

test.each(tries)(
  "%s without a capability is EACCES, recorded, and says what would do",
  async (name, make) => {
    const { kernel, runs } = await bootForTest({
      programs: {
        powerless: async (sys, other) =>
          make(sys, other as string).then(
            () => "allowed",
            ({ code, hint }: { code: string; hint: string }) => ({ code, hint }),
          ),
        other: async (sys) => sys.receive(),
      },
    });
    const other = await kernel.spawn({ agent: "other" });

    const pid = await kernel.spawn({ agent: "powerless", input: other });

    expect((await kernel.wait(pid)).output).toEqual({
      code: "EACCES",
      hint: expect.stringMatching(
        /^add .\w+:.* to `capabilities` in its manifest, or grant it to this process: aos caps grant/,
      ) as string,
    });
    expect(callsOf(await kernel.journal(pid))).toEqual([`${name} EACCES`]);
    expect(kindsOf(await kernel.journal(other))).toEqual(["start"]);
    expect(runs).toEqual([]);
  },
);

test("a tool needs a grant, and so does each thing that it touches", async () => {
  const { kernel } = await bootForTest({
    tools: [
      {
        name: "copy",
        version: "1",
        description: "touches two files",
        input: {},
        effect: "idempotent",
        touches: (args) => [
          { kind: "file", resource: (args as { from: string }).from, verb: "read" },
          { kind: "file", resource: (args as { to: string }).to, verb: "write" },
        ],
        run: async () => "copied",
      },
    ],
    programs: {
      copier: async (sys) => [
        await codeOf(sys.exec("copy", { from: "/a/x", to: "/b/x" })),
        await codeOf(sys.exec("copy", { from: "/a/x", to: "/a/x" })),
        await codeOf(sys.exec("copy", { from: "/b/x", to: "/b/x" })),
      ],
    },
  });
  const files = ["file:/a/**:read", "file:/b/**:write"];

  const granted = await kernel.spawn({
    agent: "copier",
    capabilities: ["tool:copy:call", ...files],
  });
  const without = await kernel.spawn({ agent: "copier", capabilities: files });

  expect((await kernel.wait(granted)).output).toEqual(["ok", "EACCES", "EACCES"]);
  expect((await kernel.wait(without)).output).toEqual(["EACCES", "EACCES", "EACCES"]);
});

test("a call that uses one grant twice needs two uses of it", async () => {
  const { kernel, runs } = await bootForTest({
    tools: [
      {
        name: "swap",
        version: "1",
        description: "touches two files by one grant",
        input: {},
        effect: "idempotent",
        touches: () =>
          ["/a/x", "/a/y"].map((resource) => ({ kind: "file", resource, verb: "write" })),
        run: async () => "swapped",
      },
    ],
    programs: { swapper: async (sys) => codeOf(sys.exec("swap", {})) },
  });
  const swap = (max: number) => ({
    agent: "swapper",
    capabilities: ["tool:swap:call", `file:/a/**:write{max:${max}}`],
  });

  const [one, two] = [await kernel.spawn(swap(1)), await kernel.spawn(swap(2))];

  expect((await kernel.wait(one)).output).toBe("EACCES");
  expect((await kernel.wait(two)).output).toBe("ok");
  expect(runs).toEqual([]);
});

test("a child can do no more than its parent, whatever it is given", async () => {
  const { kernel } = await bootForTest({
    programs: {
      child: async (sys) => [
        await codeOf(sys.exec("look", {})),
        await codeOf(sys.exec("pay", {})),
        await codeOf(sys.exec("set", {})),
      ],
      parent: async (sys) =>
        sys.wait(
          await sys.spawn("child", null, { capabilities: ["tool:look:call", "tool:pay:call"] }),
        ),
    },
  });

  const pid = await kernel.spawn({
    agent: "parent",
    capabilities: ["agent:child:spawn", "tool:look:call", "tool:set:call"],
  });

  expect((await kernel.wait(pid)).output).toMatchObject({ output: ["ok", "EACCES", "EACCES"] });
});

test("a manifest's power and what the spawner narrows it to must both allow", async () => {
  const capabilities = ["tool:look:call", "tool:set:call"];
  const { kernel } = await bootForTest({
    agents: (name) =>
      name === "careful"
        ? { manifest: manifest(name, { program: "doer", capabilities }) }
        : undefined,
    programs: {
      doer: async (sys) => [
        await codeOf(sys.exec("look", {})),
        await codeOf(sys.exec("set", {})),
        await codeOf(sys.exec("pay", {})),
      ],
    },
  });

  const pid = await kernel.spawn({
    agent: "careful",
    capabilities: ["tool:look:call", "tool:pay:call"],
  });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "EACCES", "EACCES"]);
});

test("a capability that is none is refused when it is given, with the place of the mistake", async () => {
  const { kernel } = await bootForTest({ programs: { any: async () => null } });

  const spawning = kernel.spawn({ agent: "any", capabilities: ["tool:look:fly"] });

  await expect(spawning).rejects.toMatchObject({ code: "EINVAL" });
  expect(await kernel.list()).toEqual([]);
});
