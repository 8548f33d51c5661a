import { expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

const programs = { idle: async (sys: { receive(): Promise<unknown> }) => sys.receive() };

test("a run has its name also after a crash, and its record says so", async () => {
  const { kernel, crash } = await bootForTest({ programs });
  const pid = await kernel.spawn({ agent: "idle", name: "nightly" });

  const { kernel: next } = await crash();

  expect(await next.list({ name: "nightly" })).toMatchObject([{ pid, name: "nightly" }]);
  expect((await next.verify()).findings).toEqual([]);
  await next.signal(pid, "SIGKILL");
});

test("no two living runs of a tenant have the same name; another tenant's may", async () => {
  const { kernel } = await bootForTest({ programs });
  const first = await kernel.spawn({ agent: "idle", name: "nightly" });

  await expect(kernel.spawn({ agent: "idle", name: "nightly" })).rejects.toMatchObject({
    code: "EEXIST",
    message: expect.stringContaining(first),
  });
  await kernel.addTenant("other", {}, "op");
  const others = await kernel.spawn({ agent: "idle", name: "nightly", tenant: "other" });
  await kernel.signal(first, "SIGKILL");
  await kernel.wait(first);
  const second = await kernel.spawn({ agent: "idle", name: "nightly" });

  const listed = await kernel.list({ name: "nightly", tenant: "default" });
  expect(listed.map(({ pid }) => pid)).toEqual([second, first]);
  for (const pid of [others, second]) await kernel.signal(pid, "SIGKILL");
});

test("a fork does not take the name of its origin", async () => {
  const { kernel } = await bootForTest({ programs: { echo: async (_sys, input) => input } });
  const origin = await kernel.spawn({ agent: "echo", name: "nightly", input: 1 });
  await kernel.wait(origin);

  const fork = await kernel.fork(origin, { at: 0 });

  await kernel.wait(fork);
  expect(await kernel.list({ name: "nightly" })).toMatchObject([{ pid: origin }]);
});
