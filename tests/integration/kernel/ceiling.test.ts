// The ceiling of a tenant through a whole kernel: no way of getting power reaches past it.

import type { Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";

const CEILING = [
  "tool:look:call",
  "memory:/mem/**:read,write",
  "agent:*:spawn,wait",
  "message:*:send,receive",
];
const ALL = [
  "tool:*:call",
  "memory:/**:read,write",
  "agent:*:spawn,wait",
  "message:*:send,receive",
  "model:*:infer",
];

/** `look` is below the ceiling, `set` and `pay` are not. */
const tries = async (sys: Sys): Promise<Json> => [
  await codeOf(sys.exec("look", {})),
  await codeOf(sys.exec("set", {})),
];

const programs = {
  tries,
  parent: async (sys: Sys) => {
    const child = await sys.spawn("tries", null, { capabilities: ALL });
    return (await sys.wait(child)).output;
  },
  waits: async (sys: Sys) => {
    await sys.receive();
    return tries(sys);
  },
  twice: async (sys: Sys) => {
    const before = await tries(sys);
    await sys.receive();
    return [before, await tries(sys)];
  },
  asks: async (sys: Sys) => {
    try {
      return await sys.exec("set", {});
    } catch (error) {
      return { ...(error as object), message: (error as Error).message } as unknown as Json;
    }
  },
  checks: async (sys: Sys) =>
    (await sys.check("exec", { tool: "set", args: {} })) as unknown as Json,
  hangs: async (sys: Sys) => codeOf(sys.exec("look", { hang: true })),
  hands: async (sys: Sys, to: Json) => codeOf(sys.grant(to as string, ["tool:set:call"])),
} as never;

const boot = (more: object = {}) =>
  bootForTest({ programs, tenants: { acme: { ceiling: CEILING } }, ...more });
type Kernel = Awaited<ReturnType<typeof boot>>["kernel"];

const run = async (kernel: Kernel, agent: string, input: Json = null, tenant = "acme") => {
  const pid = await kernel.spawn({ agent, input, capabilities: ALL, tenant });
  return (await kernel.wait(pid)).output;
};
const HELD = ["ok", "EACCES"];

test("a manifest, and what narrows it, reach no further than the ceiling", async () => {
  const { kernel } = await boot();

  expect(await run(kernel, "tries")).toEqual(HELD);
  expect(await run(kernel, "tries", null, "default")).toEqual(["ok", "ok"]);
});

test("a child does not exceed the ceiling, whatever it is given", async () => {
  const { kernel } = await boot();

  expect(await run(kernel, "parent")).toEqual(HELD);
});

test("a grant of the operator, a token and a standing grant do not exceed the ceiling", async () => {
  const { kernel } = await boot();
  const { token } = await kernel.mintToken({ capabilities: ALL, by: "op" });
  await kernel.grant({ agent: "waits", tenant: "acme" }, { capabilities: ALL, by: "op" });
  const pid = await kernel.spawn({ agent: "waits", capabilities: ALL, tenant: "acme" });
  await kernel.grant({ pid }, { capabilities: ["tool:set:call"], by: "op" });
  await kernel.grant({ pid }, { token, by: "op" });
  const free = await kernel.spawn({ agent: "waits", capabilities: [], tenant: "default" });
  await kernel.grant({ pid: free }, { token, by: "op" });

  for (const one of [pid, free]) await kernel.send(one, "go");

  expect((await kernel.wait(pid)).output).toEqual(HELD);
  // The same block of the same token, below no ceiling.
  expect((await kernel.wait(free)).output).toEqual(["ok", "ok"]);
});

test("a token that is revoked is dead in every tenant that it was shown in", async () => {
  const { kernel } = await boot({ tenants: { acme: { ceiling: [...CEILING, "tool:set:call"] } } });
  const { token, ids } = await kernel.mintToken({ capabilities: ["tool:set:call"], by: "op" });
  const pids: string[] = [];
  for (const tenant of ["acme", "default"]) {
    const pid = await kernel.spawn({ agent: "waits", capabilities: ["message:*:receive"], tenant });
    await kernel.grant({ pid }, { token, by: "op" });
    pids.push(pid);
  }

  await kernel.revoke(ids[0]!, "op");
  for (const pid of pids) await kernel.send(pid, "go");

  for (const pid of pids) expect((await kernel.wait(pid)).output).toEqual(["EACCES", "EACCES"]);
});

test("a fork, a retry and a process that is loaded again do not exceed the ceiling", async () => {
  const { kernel, crash } = await boot({ unloadAfterMs: 1 });
  const done = await kernel.spawn({ agent: "tries", capabilities: ALL, tenant: "acme" });
  await kernel.wait(done);
  const dormant = await kernel.spawn({ agent: "waits", capabilities: ALL, tenant: "acme" });
  await until(async () => (await kernel.status()).loaded === 0, "it leaves memory");

  const forked = await kernel.fork(done, { at: 0 });
  const retried = await kernel.retry(done, { from: 2 });
  expect((await kernel.wait(forked)).output).toEqual(HELD);
  expect((await kernel.wait(retried)).output).toEqual(HELD);
  const { kernel: next } = await crash();
  await next.send(dormant, "go");
  expect((await next.wait(dormant)).output).toEqual(HELD);
});

test("what it may not hold it cannot hand on; a dry run and caps check say so too", async () => {
  const { kernel } = await boot();
  const pid = await kernel.spawn({ agent: "waits", capabilities: ALL, tenant: "acme" });

  expect(await run(kernel, "hands", pid)).toBe("EACCES");
  expect(await run(kernel, "checks")).toMatchObject({ allow: false, code: "EACCES" });
  expect(await kernel.check(pid, "exec", { tool: "set", args: {} })).toMatchObject({
    allow: false,
    detail: { check: "capability", ceiling: "acme" },
  });
  await kernel.send(pid, "go");
  await kernel.wait(pid);
});

test("the refusal names the ceiling, and how the operator raises it", async () => {
  const { kernel } = await boot();

  expect(await run(kernel, "asks")).toMatchObject({
    code: "EACCES",
    message: expect.stringContaining("the ceiling of tenant acme, set by the operator"),
    hint: expect.stringContaining("aos tenant set acme --allow 'tool:set:call'"),
  });
});

test("an unknown tenant is refused with the one that was meant, and no tenant comes of it", async () => {
  const { kernel } = await boot();
  const spawn = (tenant: string) => kernel.spawn({ agent: "tries", tenant });

  await expect(spawn("acne")).rejects.toMatchObject({
    code: "ENOENT",
    hint: expect.stringContaining("did you mean acme?"),
  });
  for (const name of ["../../etc", "a\nb", "", "a".repeat(64), "acme\u202e", "Acme", " acme"])
    await expect(spawn(name)).rejects.toMatchObject({ code: "EINVAL" });
  await expect(
    kernel.grant({ agent: "x", tenant: "nobody" }, { capabilities: [], by: "op" }),
  ).rejects.toMatchObject({ code: "ENOENT" });
  await expect(
    kernel.setSecret({ name: "A", value: "v", bindings: [], tenant: "nobody" }, "op"),
  ).rejects.toMatchObject({ code: "ENOENT" });
  expect((await kernel.tenants()).map(({ name }) => name)).toEqual(["default", "acme"]);
});

test("TENANT-REGISTRY-2: a tenant that is added has the ceiling that ships, and it is there after a restart", async () => {
  const { kernel, again } = await boot({ tenants: {} });
  await kernel.addTenant("lab", {}, "op");
  await expect(kernel.addTenant("lab", {}, "op")).rejects.toMatchObject({ code: "ESTATE" });
  expect(await run(kernel, "tries", null, "lab")).toEqual(["EACCES", "EACCES"]);

  const { kernel: next } = await again();

  expect((await next.tenants())[1]).toMatchObject({
    name: "lab",
    ceiling: { source: "default", problem: null },
  });
  expect(await run(next, "tries", null, "lab")).toEqual(["EACCES", "EACCES"]);
});

test("a tenant that is removed starts nothing; added again it has its history", async () => {
  const { kernel } = await boot({ tenants: {} });
  await kernel.addTenant("lab", { ceiling: CEILING }, "op");
  const living = await kernel.spawn({ agent: "waits", capabilities: ALL, tenant: "lab" });
  await expect(kernel.removeTenant("lab", "op")).rejects.toMatchObject({ code: "ESTATE" });
  await kernel.signal(living, "SIGKILL");
  await kernel.wait(living);

  await kernel.removeTenant("lab", "op");

  await expect(run(kernel, "tries", null, "lab")).rejects.toMatchObject({ code: "ENOENT" });
  expect((await kernel.tenants()).map(({ name }) => name)).toEqual(["default"]);
  await kernel.addTenant("lab", { ceiling: CEILING }, "op");
  expect(await run(kernel, "tries", null, "lab")).toEqual(HELD);
  await expect(kernel.removeTenant("default", "op")).rejects.toMatchObject({ code: "EINVAL" });
});

test("a grant with a limit, used before a crash, is below the ceiling after it", async () => {
  const booted = await boot();
  const capabilities = ["tool:*:call{max:9}", "message:*:receive"];
  const pid = await booted.kernel.spawn({ agent: "twice", capabilities, tenant: "acme" });
  await until(async () => (await booted.kernel.show(pid)).state === "waiting");

  const { kernel } = await booted.crash();
  await kernel.send(pid, "go on");

  expect((await kernel.wait(pid)).output).toEqual([HELD, HELD]);
});
