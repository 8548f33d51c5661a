import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf } from "../../helpers/kernel.ts";

const MEMORY = ["memory:/mem/**:*"];

test("what a process wrote it reads again at once", async () => {
  const { kernel } = await bootForTest({
    programs: {
      scribe: async (sys) => {
        await sys.now();
        await sys.write("/mem/working/a", { n: 1 });
        const first = await sys.read("/mem/working/a");
        await sys.write("/mem/working/a", { n: 2 });
        return [first, await sys.read("/mem/working/a"), await sys.list("/mem/working")];
      },
    },
  });

  const pid = await kernel.spawn({ agent: "scribe", capabilities: MEMORY });

  const { output } = await kernel.wait(pid);
  expect(output).toEqual([{ n: 1 }, { n: 2 }, ["/mem/working/a"]]);
});

test("what was removed is gone at once, and removing it again is ENOENT", async () => {
  const { kernel } = await bootForTest({
    programs: {
      scribe: async (sys) => {
        await sys.write("/mem/shared/a", 1);
        await sys.remove("/mem/shared/a");
        return [
          await codeOf(sys.read("/mem/shared/a")),
          await codeOf(sys.remove("/mem/shared/a")),
          await sys.list("/mem/shared"),
        ];
      },
    },
  });

  const pid = await kernel.spawn({ agent: "scribe", capabilities: MEMORY });

  expect((await kernel.wait(pid)).output).toEqual(["ENOENT", "ENOENT", []]);
});

test("/mem/working is a process's own, /mem/semantic its agent's, and /mem/shared the tenant's", async () => {
  const { kernel } = await bootForTest({
    programs: {
      writer: async (sys) => {
        await sys.write("/mem/working/x", "mine");
        await sys.write("/mem/shared/x", "ours");
        await sys.write("/mem/semantic/x", "my agent's");
      },
      reader: async (sys) => [
        await codeOf(sys.read("/mem/working/x")),
        await sys.read("/mem/shared/x"),
        await codeOf(sys.read("/mem/semantic/x")),
      ],
    },
  });
  await kernel.wait(await kernel.spawn({ agent: "writer", capabilities: MEMORY }));

  const pid = await kernel.spawn({ agent: "reader", capabilities: MEMORY });

  expect((await kernel.wait(pid)).output).toEqual(["ENOENT", "ours", "ENOENT"]);
});

test("another tenant sees none of a tenant's files", async () => {
  const { kernel } = await bootForTest({
    tenants: { one: {}, two: {} },
    programs: {
      writer: async (sys) => sys.write("/mem/shared/x", "ours"),
      reader: async (sys) => [
        await codeOf(sys.read("/mem/shared/x")),
        await sys.list("/mem/shared"),
        await sys.search("/mem/shared", "ours"),
      ],
    },
  });
  await kernel.wait(await kernel.spawn({ agent: "writer", capabilities: MEMORY, tenant: "one" }));

  const pid = await kernel.spawn({ agent: "reader", capabilities: MEMORY, tenant: "two" });

  expect((await kernel.wait(pid)).output).toEqual(["ENOENT", [], []]);
});

test("experience is neither rewritten nor removed, also not by two writes at once", async () => {
  const { kernel } = await bootForTest({
    programs: {
      scribe: async (sys) => {
        const both = await Promise.all([
          codeOf(sys.write("/mem/episodic/day", "first")),
          codeOf(sys.write("/mem/episodic/day", "second")),
        ]);
        const later = [
          await codeOf(sys.write("/mem/episodic/day", "third")),
          await codeOf(sys.remove("/mem/episodic/day")),
        ];
        return [both.sort(), later, await sys.read("/mem/episodic/day")];
      },
    },
  });

  const pid = await kernel.spawn({ agent: "scribe", capabilities: MEMORY });

  expect((await kernel.wait(pid)).output).toEqual([
    ["EEXIST", "ok"],
    ["EEXIST", "EINVAL"],
    "first",
  ]);
});

test("a stream gives a file in pieces, and adds to one without losing anything", async () => {
  const { kernel } = await bootForTest({
    programs: {
      scribe: async (sys) => {
        const log = await sys.open("/mem/working/log", "append");
        await Promise.all([sys.write(log, "ab"), sys.write(log, "cd"), sys.write(log, "ef")]);
        await sys.close(log);
        const file = await sys.open("/mem/working/log");
        const pieces = [
          await sys.read(file, { length: 4 }),
          await sys.read(file, { length: 4 }),
          await sys.read(file),
        ];
        await sys.close(file);
        return [pieces, await codeOf(sys.read(file)), await codeOf(sys.write(log, "gh"))];
      },
    },
  });

  const pid = await kernel.spawn({ agent: "scribe", capabilities: MEMORY });

  expect((await kernel.wait(pid)).output).toEqual([["abcd", "ef", ""], "EINVAL", "EINVAL"]);
});

test("a stream asks for its capability with every use, not only when it is opened", async () => {
  const { kernel } = await bootForTest({
    programs: {
      scribe: async (sys) => {
        const file = await sys.open("/mem/working/a", "append");
        await sys.write(file, "1");
        return codeOf(sys.write(file, "2"));
      },
    },
  });

  const pid = await kernel.spawn({
    agent: "scribe",
    capabilities: ["memory:/mem/working/**:write{max:2}"],
  });

  expect((await kernel.wait(pid)).output).toBe("EACCES");
});

test("open streams are where they were after the process was rebuilt", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      scribe: async (sys) => {
        await sys.write("/mem/working/text", "one two");
        const file = await sys.open("/mem/working/text");
        const first = await sys.read(file, { length: 4 });
        await sys.receive();
        return [first, await sys.read(file)];
      },
    },
  });
  const pid = await kernel.spawn({ agent: "scribe", capabilities: MEMORY });

  await kernel.send(pid, "go on");

  expect((await kernel.wait(pid)).output).toEqual(["one ", "two"]);
});

test("a search finds files by their words, the best first", async () => {
  const { kernel } = await bootForTest({
    programs: {
      scribe: async (sys) => {
        await sys.write("/mem/semantic/a", "the red house");
        await sys.write("/mem/semantic/b", "the red boat on the lake");
        await sys.write("/mem/semantic/c", "nothing");
        return (await sys.search("/mem/semantic", "red boat", { limit: 2 })).map(
          ({ path }) => path,
        );
      },
    },
  });

  const pid = await kernel.spawn({ agent: "scribe", capabilities: MEMORY });

  expect((await kernel.wait(pid)).output).toEqual(["/mem/semantic/b", "/mem/semantic/a"]);
});

test("a process reads its own manifest, tools and input without any capability", async () => {
  const { kernel } = await bootForTest({
    programs: {
      curious: async (sys) => [
        ((await sys.read("/self/manifest")) as { name: string }).name,
        await sys.read("/self/input"),
        await sys.list("/self"),
        await codeOf(sys.write("/self/input", 1)),
        await codeOf(sys.read("/self/none")),
      ],
    },
  });

  const pid = await kernel.spawn({ agent: "curious", input: { a: 1 } });

  expect((await kernel.wait(pid)).output).toEqual([
    "curious",
    { a: 1 },
    [
      "/self/input",
      "/self/instructions",
      "/self/manifest",
      "/self/narrowing",
      "/self/skills",
      "/self/tools",
    ],
    "EINVAL",
    "ENOENT",
  ]);
});

test.each(["/mem/working/../shared/x", "/mem//x", "mem/x", "/mem/working/\u0001", "/mem/e\u0301"])(
  "the path %j is refused before anything is touched",
  async (path) => {
    const { kernel } = await bootForTest({
      programs: { odd: async (sys) => codeOf(sys.write(path, 1)) },
    });

    const pid = await kernel.spawn({ agent: "odd", capabilities: MEMORY });

    expect((await kernel.wait(pid)).output).toBe("EINVAL");
    expect(callsOf(await kernel.journal(pid))).toEqual(["write EINVAL"]);
  },
);

test("of two writers of a shared file the last one's words stay, on the disk too", async () => {
  const booted = await bootForTest({
    programs: {
      writer: async (sys, input) => {
        await sys.write("/mem/shared/x", `${input as string} 1`);
        await sys.receive();
        await sys.write("/mem/shared/x", `${input as string} 2`);
        return sys.read("/mem/shared/x");
      },
      reader: async (sys) => sys.read("/mem/shared/x"),
    },
  });
  const [a, b] = await Promise.all(
    ["a", "b"].map((input) =>
      booted.kernel.spawn({ agent: "writer", input, capabilities: MEMORY }),
    ),
  );
  await booted.kernel.send(b!, "go");
  await booted.kernel.wait(b!);
  await booted.kernel.send(a!, "go");
  await booted.kernel.wait(a!);

  const { kernel } = await booted.again();

  const pid = await kernel.spawn({ agent: "reader", capabilities: MEMORY });
  expect((await kernel.wait(pid)).output).toBe("a 2");
});
