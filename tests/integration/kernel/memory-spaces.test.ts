// Long-term memory by agent (protocol/memory-space.ts, kernel/src/process/memory-space.ts).

import { expect, test } from "vitest";
import type { Json, Sys } from "@aos/protocol";
import type { Kernel, KernelOptions } from "@aos/kernel";
import { bootForTest, codeOf } from "../../helpers/kernel.ts";

const ALL = ["memory:/mem/**:*", "agent:*:*"];
const FINANCE = "/mem/agents/finance/semantic/iban";

type Deeds = (sys: Sys, input: Json) => Promise<unknown>;

const writer: Deeds = async (sys) => {
  await sys.write("/mem/semantic/iban", "the account is CH93");
  await sys.write("/mem/episodic/monday", "the payment failed");
};

/** What a process can find out about the file of `finance`, by every call that takes a path. */
const spy: Deeds = async (sys) => ({
  own: [
    await codeOf(sys.read("/mem/semantic/iban")),
    await sys.list("/mem/semantic"),
    await sys.search("/mem/semantic", "account"),
    await sys.list("/mem/episodic"),
  ],
  theirs: [
    await codeOf(sys.read(FINANCE)),
    await codeOf(sys.read("/mem/agents/finance/semantic/absent")),
    await codeOf(sys.list("/mem/agents")),
    await codeOf(sys.list("/mem/agents/finance")),
    await codeOf(sys.list("/mem/agents/absent")),
    await codeOf(sys.search("/mem/agents/finance/semantic", "account")),
    await codeOf(sys.write(FINANCE, "the account is XX00")),
    await codeOf(sys.write("/mem/agents/finance/episodic/tuesday", "it failed again")),
    await codeOf(sys.remove(FINANCE)),
    await codeOf(sys.open(FINANCE, "append")),
  ],
});

const NOTHING = {
  own: ["ENOENT", [], [], []],
  theirs: Array.from({ length: 10 }, () => "EACCES"),
};

const manifest = (name: string, program: string, capabilities = ALL) =>
  ({ apiVersion: "aos/v1", kind: "Agent", name, program, capabilities }) as const;

const agents: NonNullable<KernelOptions["agents"]> = (name) =>
  ({
    finance: { manifest: manifest("finance", "writer") },
    auditor: { manifest: manifest("finance", "spy") },
  })[name];

const output = async (kernel: Kernel, request: Parameters<Kernel["spawn"]>[0]): Promise<Json> => {
  const { output: said, error } = await kernel.wait(await kernel.spawn(request));
  expect(error).toBeNull();
  return said;
};

async function booted(programs: Readonly<Record<string, Deeds>> = {}) {
  const all = await bootForTest({ agents, programs: { writer, spy, ...programs } });
  await output(all.kernel, { agent: "finance" });
  return all;
}

test("the next run of an agent finds what the last one wrote, also after a restart", async () => {
  const { again } = await booted();

  const { kernel } = await again({
    agents: () => ({ manifest: manifest("finance", "reader") }),
    programs: { writer, reader: async (sys) => sys.read("/mem/semantic/iban") },
  });

  expect(await output(kernel, { agent: "finance" })).toBe("the account is CH93");
});

test("another agent neither reads, lists, searches, changes nor infers the memory of an agent, whatever it may below /mem", async () => {
  const { kernel } = await booted();

  const seen = await output(kernel, { agent: "spy", capabilities: ALL });

  expect(seen).toEqual(NOTHING);
  expect(
    await output(kernel, { agent: "spy", capabilities: ["memory:/**:*", "memory:*:*"] }),
  ).toEqual(NOTHING);
});

test("a refusal is the same for a file that is there and one that is not (SPACE-1)", async () => {
  const said: Deeds = async (sys) => {
    const words = async (path: string) =>
      sys.read(path).then(
        () => "read",
        (error: Error) => error.message.replaceAll(path, "PATH"),
      );
    return [await words(FINANCE), await words("/mem/agents/finance/semantic/none")];
  };
  const { kernel } = await booted({ said });

  const [there, absent] = (await output(kernel, { agent: "said", capabilities: ALL })) as string[];

  expect(there).toBe(absent);
});

test.each([
  ["an inline manifest", {}],
  ["a manifest of a folder", { folder: "/projects/evil" }],
])("%s that says `name: finance` has another space (SPACE-1)", async (_what, from) => {
  const { kernel } = await booted();

  const seen = await output(kernel, { manifest: manifest("finance", "spy"), ...from });

  expect(seen).toEqual(NOTHING);
});

test("a manifest of a folder has its space again in the next run, and that of no other folder", async () => {
  const reader: Deeds = async (sys) => codeOf(sys.read("/mem/semantic/iban"));
  const { kernel } = await booted({ reader });
  const from = (folder: string, program: string) => ({
    manifest: manifest("finance", program),
    folder,
  });

  await output(kernel, from("/projects/one", "writer"));

  expect(await output(kernel, from("/projects/one", "reader"))).toBe("ok");
  expect(await output(kernel, from("/projects/two", "reader"))).toBe("ENOENT");
});

test("what a registered agent calls itself gives it no memory of another (SPACE-1)", async () => {
  const { kernel } = await booted();

  expect(await output(kernel, { agent: "auditor" })).toEqual(NOTHING);
});

test("a child has a space below its parent's, also when it is the agent itself (SPACE-2)", async () => {
  const parent: Deeds = async (sys) => {
    const { output: seen } = await sys.wait(await sys.spawn("auditor", null));
    return seen;
  };
  const { kernel } = await booted({ parent });

  expect(await output(kernel, { agent: "parent", capabilities: ALL })).toEqual(NOTHING);
});

test("another tenant's agent of the same name has another memory", async () => {
  const { kernel, again } = await booted();
  expect(await kernel.memorySpaces()).toEqual(["finance"]);

  const { kernel: both } = await again({
    agents: () => ({ manifest: manifest("finance", "spy") }),
    tenants: { acme: {} },
    programs: { writer, spy },
  });

  const seen = (await output(both, { agent: "finance", tenant: "acme" })) as { own: Json };
  expect(seen.own).toEqual(NOTHING.own);
});

test("a wider space needs a grant that names it, and gives what the grant says", async () => {
  const { kernel } = await booted({
    reader: async (sys) => [
      await sys.read(FINANCE),
      await sys.list("/mem/agents/finance/semantic"),
      (await sys.search("/mem/agents/finance/semantic", "account")).map(({ path }) => path),
      await codeOf(sys.write(FINANCE, "changed")),
      await codeOf(sys.read("/mem/agents/finance/episodic/monday")),
      await codeOf(sys.search("/mem/agents/finance", "account")),
    ],
  });
  const capabilities = [
    "memory:/mem/agents/finance/semantic/**:read,list,search",
    "memory:/mem/agents/finance:search",
  ];

  const seen = await output(kernel, { agent: "reader", capabilities });

  expect(seen).toEqual(["the account is CH93", [FINANCE], [FINANCE], "EACCES", "EACCES", "EINVAL"]);
});

test("a grant of a folder of another's memory does not show the rest of it, whatever else is granted (OBSTACLE-3)", async () => {
  const { kernel } = await booted({
    searcher: async (sys) => sys.search("/mem/agents/finance/semantic", "account"),
  });
  const capabilities = ["memory:/mem/agents/finance/semantic:search", "memory:/mem/**:*"];

  expect(await output(kernel, { agent: "searcher", capabilities })).toEqual([]);
});

test("its own memory is judged by its short name, however it is spelled (MEMORY-SPACE-1)", async () => {
  const long = "/mem/agents/scribe/semantic/a";
  const scribe: Deeds = async (sys) => {
    await sys.write("/mem/semantic/a", "red boat");
    return [
      await sys.read(long),
      await sys.list("/mem/agents/scribe/semantic"),
      (await sys.search("/mem/agents/scribe/semantic", "boat")).map(({ path }) => path),
    ];
  };
  const { kernel } = await booted({
    scribe,
    narrow: async (sys) => codeOf(sys.read("/mem/agents/narrow/semantic/a")),
  });

  expect(await output(kernel, { agent: "scribe", capabilities: ALL })).toEqual([
    "red boat",
    [long],
    [long],
  ]);
  expect(
    await output(kernel, { agent: "narrow", capabilities: ["memory:/mem/agents/narrow/**:*"] }),
  ).toBe("EACCES");
});

test("a fork has the memory of its origin's agent", async () => {
  const reader: Deeds = async (sys) => {
    await sys.now();
    return codeOf(sys.read("/mem/semantic/iban"));
  };
  const { kernel } = await booted({ reader });
  await output(kernel, { manifest: manifest("finance", "writer") });
  const pid = await kernel.spawn({ manifest: manifest("finance", "reader") });
  await kernel.wait(pid);

  const fork = await kernel.fork(pid, { at: 1 });

  expect((await kernel.wait(fork)).output).toBe("ok");
});
