// Topics: patterns, durable subscriptions, and who gets what.

import type { Kernel } from "@aos/kernel";
import type { Json, Sys } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest, until } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";

describe("topics", () => {
  const listener = async (sys: Sys, input: Json): Promise<Json> => {
    const { topic, durable, count } = input as { topic: string; durable?: string; count: number };
    await sys.subscribe(topic, durable === undefined ? {} : { durable });
    await sys.write("/mem/working/ready", true);
    const got: Json[] = [];
    for (let nth = 0; nth < count; nth++) {
      const event = await sys.receive({ type: "event" });
      got.push([event.topic!, event.body]);
    }
    return got;
  };
  const isReady = (kernel: Kernel, pid: string) =>
    until(
      async () =>
        (await kernel.journal(pid)).some((one) => one.kind === "call" && one.call === "write"),
      "subscription",
    );
  const capabilities = ["message:*:subscribe", "memory:/mem/working/**:write"];

  test("a pattern gets the topics that it matches, once each, and only its own tenant's (TOPICS-1)", async () => {
    const { kernel } = await bootForTest({
      unloadAfterMs: 0,
      tenants: { north: {} },
      programs: { listener },
    });
    const one = { agent: "listener", capabilities };
    const star = await kernel.spawn({ ...one, input: { topic: "news.*", count: 1 } });
    const rest = await kernel.spawn({ ...one, input: { topic: "news.>", count: 2 } });
    const north = await kernel.spawn({
      ...one,
      tenant: "north",
      input: { topic: ">", count: 1 },
    });
    for (const pid of [star, rest, north]) await isReady(kernel, pid);

    expect(await kernel.publish("news.sport", 1)).toEqual({ reached: 2 });
    expect(await kernel.publish("news.sport.golf", 2)).toEqual({ reached: 1 });
    expect(await kernel.publish("news", 3)).toEqual({ reached: 0 });

    expect((await kernel.wait(star)).output).toEqual([["news.sport", 1]]);
    expect((await kernel.wait(rest)).output).toEqual([
      ["news.sport", 1],
      ["news.sport.golf", 2],
    ]);
    expect((await kernel.show(north)).mailbox.depth).toBe(0);
    await kernel.signal(north, "SIGKILL");
  });

  test("a pattern brings no topic that its subscriber may not subscribe to by name", async () => {
    const { kernel } = await bootForTest({
      programs: { listener },
      policy: allowBut({
        id: "no-payroll",
        deny: "subscribe",
        when: 'args.topic == "news.payroll"',
      }),
    });
    const pid = await kernel.spawn({
      agent: "listener",
      capabilities,
      input: { topic: "news.*", count: 1 },
    });
    await isReady(kernel, pid);

    expect(await kernel.publish("news.payroll", "secret")).toEqual({ reached: 0 });
    expect(await kernel.publish("news.sport", 1)).toEqual({ reached: 1 });

    expect((await kernel.wait(pid)).output).toEqual([["news.sport", 1]]);
  });

  test.each(["news.*.>.x", "news.a*", "a..*"])(
    "the pattern %s is refused (TOPIC-1)",
    async (topic) => {
      const { kernel } = await bootForTest({ programs: { listener } });

      const pid = await kernel.spawn({
        agent: "listener",
        capabilities,
        input: { topic, count: 0 },
      });

      expect((await kernel.wait(pid)).error).toMatchObject({ code: "EINVAL" });
    },
  );

  test("a durable subscription keeps events while nobody has it, for the next of its agent (TOPICS-3)", async () => {
    const { kernel, crash } = await bootForTest({ programs: { listener, other: listener } });
    const durable = { topic: "jobs.*", durable: "worker" };
    const first = await kernel.spawn({
      agent: "listener",
      capabilities,
      input: { ...durable, count: 1 },
    });
    await isReady(kernel, first);
    const second = await kernel.spawn({
      agent: "listener",
      capabilities,
      input: { ...durable, count: 1 },
    });
    expect((await kernel.wait(second)).error).toMatchObject({ code: "ESTATE" });
    await kernel.publish("jobs.a", 1);
    await kernel.wait(first);
    expect(await kernel.publish("jobs.b", 2)).toEqual({ reached: 1 });
    expect(await kernel.publish("jobs.c", 3, { lane: "high" })).toEqual({ reached: 1 });
    expect(await kernel.topics()).toMatchObject([{ topic: "jobs.*", durables: 1, waiting: 2 }]);

    const { kernel: next } = await crash();
    const stranger = await next.spawn({
      agent: "other",
      capabilities,
      input: { ...durable, count: 1 },
    });
    await isReady(next, stranger);
    const third = await next.spawn({
      agent: "listener",
      capabilities,
      input: { ...durable, count: 3 },
    });
    await isReady(next, third);
    await next.publish("jobs.d", 4);

    expect((await next.wait(third)).output).toEqual([
      ["jobs.c", 3],
      ["jobs.b", 2],
      ["jobs.d", 4],
    ]);
    expect((await next.wait(stranger)).output).toEqual([["jobs.d", 4]]);
    expect(await next.topics()).toMatchObject([{ waiting: 0, durables: 2 }]);
  });
});
