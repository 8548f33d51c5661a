// Lanes, lifetimes, streams, schemas, dead letters and redrive: what a message may say beside its body.

import type { Json, ProcessId, Sys } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";

const bodies = async (sys: Sys, count: number): Promise<Json[]> => {
  const got: Json[] = [];
  for (let nth = 0; nth < count; nth++) got.push((await sys.receive()).body);
  return got;
};

describe("lanes", () => {
  test("the most urgent lane is received first, and in a lane the order of each sender is kept", async () => {
    const { kernel, again } = await bootForTest({
      unloadAfterMs: 0,
      programs: {
        reader: async (sys) => {
          await sys.receive({ type: "go" });
          return bodies(sys, 6);
        },
      },
    });
    const pid = await kernel.spawn({ agent: "reader" });
    await kernel.send(pid, "b1", { lane: "background" });
    await kernel.send(pid, "n1");
    await kernel.send(pid, "c1", { lane: "critical" });
    await kernel.send(pid, "n2");
    await kernel.send(pid, "b2", { lane: "background" });
    await kernel.send(pid, "c2", { lane: "critical" });

    const { kernel: next } = await again(); // the order is the store's too
    await next.send(pid, null, { type: "go" });

    expect((await next.wait(pid)).output).toEqual(["c1", "c2", "n1", "n2", "b1", "b2"]);
  });

  test("a message says its lane where it is not the usual one", async () => {
    const { kernel } = await bootForTest({
      programs: {
        reader: async (sys) => {
          const [one, two] = [await sys.receive(), await sys.receive()];
          return [one.lane ?? "none", two.lane ?? "none"];
        },
      },
    });
    const pid = await kernel.spawn({ agent: "reader" });

    await kernel.send(pid, 1, { lane: "high" });
    await kernel.send(pid, 2, { lane: "normal" });

    expect((await kernel.wait(pid)).output).toEqual(["high", "none"]);
  });
});

describe("lifetimes", () => {
  test("what is not received in time is a dead letter, in memory and unloaded (MESSAGES-2)", async () => {
    const { kernel, again } = await bootForTest({
      programs: {
        reader: async (sys) => {
          await sys.receive({ type: "go" });
          return (await sys.receive()).body;
        },
      },
    });
    const loaded = await kernel.spawn({ agent: "reader" });
    const asleep = await kernel.spawn({ agent: "reader" });
    for (const pid of [loaded, asleep]) {
      await kernel.send(pid, "late", { ttlMs: 1 });
      await kernel.send(pid, "kept", { ttlMs: 3_600_000 });
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
    await kernel.send(loaded, null, { type: "go" });

    expect((await kernel.wait(loaded)).output).toBe("kept");
    const { kernel: next } = await again();
    await next.send(asleep, null, { type: "go" });

    expect((await next.wait(asleep)).output).toBe("kept");
    const letters = await next.deadLetters();
    expect(letters.map(({ to, body, reason }) => [to, body, reason])).toEqual([
      [asleep, "late", "its lifetime was over before it was received"],
      [loaded, "late", "its lifetime was over before it was received"],
    ]);
  });

  test("a receive passes over what has expired since it came (MESSAGES-2)", async () => {
    const { kernel } = await bootForTest({
      programs: {
        sleeper: async (sys) => {
          await sys.sleep((await sys.now()) + 1000);
          return codeOf(sys.receive({ until: await sys.now() }));
        },
      },
    });
    const pid = await kernel.spawn({ agent: "sleeper" });
    await kernel.send(pid, "late", { ttlMs: 1 });

    expect((await kernel.wait(pid)).output).toBe("ETIMEDOUT");
    expect(await kernel.deadLetters()).toMatchObject([{ body: "late" }]);
  });

  test("an expired message takes no place in a full mailbox", async () => {
    const { kernel } = await bootForTest({
      limits: { mailboxDepth: 1 },
      programs: { deaf: async (sys) => sys.receive({ type: "never" }) },
    });
    const pid = await kernel.spawn({ agent: "deaf" });
    await kernel.send(pid, "late", { ttlMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));

    await kernel.send(pid, "in");

    await expect(kernel.send(pid, "out")).rejects.toMatchObject({
      code: "EAGAIN",
      retryAfter: expect.any(Number) as number,
    });
    await kernel.signal(pid, "SIGKILL");
  });
});

describe("dead letters", () => {
  const programs = {
    brief: async (sys: Sys) => (await sys.receive({ type: "end" })).body,
    reader: async (sys: Sys) => {
      const { from, body } = await sys.receive();
      return [from, body];
    },
  };

  test("what an ended process has not received is a dead letter, and can be redriven to another", async () => {
    const { kernel } = await bootForTest({ programs });
    const ended = await kernel.spawn({ agent: "brief" });
    await kernel.send(ended, { n: 1 });
    await kernel.send(ended, null, { type: "end" });
    await kernel.wait(ended);
    await until(async () => (await kernel.deadLetters()).length === 1, "burial");
    const [letter] = await kernel.deadLetters();
    const reader = await kernel.spawn({ agent: "reader" });

    await expect(kernel.redrive(letter!.id, { by: "me" })).rejects.toMatchObject({
      code: "ESTATE",
    });
    await kernel.redrive(letter!.id, { by: "me", to: reader });

    expect((await kernel.wait(reader)).output).toEqual(["operator", { n: 1 }]);
    expect(await kernel.deadLetters()).toEqual([]);
    await expect(kernel.redrive(letter!.id, { by: "me", to: reader })).rejects.toMatchObject({
      code: "ENOENT",
    });
  });

  test("of two redrives at once one delivers, and a letter's label stays (MAIL-1)", async () => {
    const { kernel } = await bootForTest({
      programs: {
        reader: async (sys) => {
          await sys.receive({ type: "go" });
          const got = await bodies(sys, 2);
          const more = await codeOf(sys.receive({ until: await sys.now() }));
          return [got, more, (await sys.self()).label];
        },
      },
    });
    const pid = await kernel.spawn({ agent: "reader" });
    await kernel.send(pid, "late", {
      ttlMs: 1,
      label: { integrity: "untrusted", secrecy: "public" },
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await kernel.send(pid, "x", { type: "never" });
    const [letter] = await kernel.deadLetters();

    const both = [1, 2].map(() => kernel.redrive(letter!.id, { by: "me" }));
    await Promise.allSettled(both);
    await kernel.send(pid, null, { type: "go" });

    expect((await kernel.wait(pid)).output).toEqual([
      ["x", "late"],
      "ETIMEDOUT",
      "untrusted/public",
    ]);
  });

  test("a redriven letter has its sender only while that may still send to its receiver (MAIL-2)", async () => {
    const { kernel } = await bootForTest({
      programs: {
        reader: async (sys) => {
          await sys.receive({ type: "go" });
          return (await sys.receive()).from;
        },
        sender: async (sys, to) => {
          await sys.send(to as string, "late", { ttlMs: 1 });
          await sys.receive();
        },
      },
    });
    const reader = await kernel.spawn({ agent: "reader" });
    const allowed = await kernel.spawn({
      agent: "sender",
      input: reader,
      capabilities: [`message:${reader}:send{max:1}`],
    });
    await until(async () => (await kernel.show(reader)).mailbox.depth === 1, "message");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await kernel.send(reader, null, { type: "go" });
    await until(async () => (await kernel.deadLetters()).length === 1, "expiry");
    const [letter] = await kernel.deadLetters();

    // Its only use is spent: the gate would refuse it now.
    await expect(kernel.redrive(letter!.id, { by: "me" })).rejects.toMatchObject({
      code: "EACCES",
    });
    await kernel.signal(allowed, "SIGKILL");
    await kernel.wait(allowed);
    await kernel.redrive(letter!.id, { by: "me" });

    expect((await kernel.wait(reader)).output).toBe("operator");
  });

  test("a letter of another tenant does not exist", async () => {
    const { kernel } = await bootForTest({ programs, tenants: { north: {}, south: {} } });
    const ended = await kernel.spawn({ agent: "brief", tenant: "north" });
    await kernel.send(ended, "secret");
    await kernel.send(ended, null, { type: "end" });
    await until(async () => (await kernel.deadLetters({ tenant: "north" })).length === 1, "burial");
    const [letter] = await kernel.deadLetters({ tenant: "north" });
    const stranger = await kernel.spawn({ agent: "reader", tenant: "south" });

    const asSouth = kernel.redrive(letter!.id, { by: "me", tenant: "south", to: stranger });
    const across = kernel.redrive(letter!.id, { by: "me", to: stranger });
    across.catch(() => {}); // it is waited for below

    await expect(asSouth).rejects.toMatchObject({ code: "ENOENT" });
    await expect(across).rejects.toMatchObject({ code: "ENOENT" });
    await kernel.signal(stranger, "SIGKILL");
  });
});

describe("schemas", () => {
  const schema = {
    type: "object",
    required: ["n"],
    properties: { n: { type: "integer" }, tags: { type: "array", items: { type: "string" } } },
    additionalProperties: false,
  };
  const manifest = {
    apiVersion: "aos/v1",
    kind: "Agent",
    name: "typed",
    program: "reader",
    mailbox: { schema },
  } as const;

  test("a body that does not fit a mailbox is refused at its sender, with the path (MESSAGES-1)", async () => {
    const { kernel } = await bootForTest({
      agents: (name) => (name === "typed" ? { manifest } : undefined),
      programs: {
        reader: async (sys) => (await sys.receive()).body,
        sender: async (sys) => {
          const to = await sys.spawn("typed", null);
          const refused = await sys.send(to, { n: 1, tags: ["a", 2] }).catch((error) => error);
          const asked = await codeOf(sys.request(to, "text"));
          await sys.send(to, { n: 1, tags: ["a"] });
          return [(refused as Error).message, asked, (await sys.wait(to)).output];
        },
      },
    });
    const other = await kernel.spawn({ agent: "typed" });
    await expect(kernel.send(other, { n: "1" })).rejects.toMatchObject({
      code: "EINVAL",
      message: expect.stringContaining("body.n is not of type integer") as string,
    });

    const pid = await kernel.spawn({ agent: "sender", capabilities: ["agent:typed:spawn"] });

    const { output } = await kernel.wait(pid);
    expect(output).toEqual([
      expect.stringContaining("body.tags[1] is not of type string"),
      "EINVAL",
      { n: 1, tags: ["a"] },
    ]);
    await kernel.signal(other, "SIGKILL");
  });

  test("an event that does not fit its topic is refused, from agents and operators (TOPICS-2)", async () => {
    const { kernel } = await bootForTest({
      programs: {
        herald: async (sys) => [
          await codeOf(sys.publish("orders", { n: "1" })),
          await sys.publish("orders", { n: 1 }),
        ],
      },
    });
    await kernel.setTopicSchema("orders", schema, { by: "me" });

    const pid = await kernel.spawn({ agent: "herald", capabilities: ["message:*:publish"] });

    expect((await kernel.wait(pid)).output).toEqual(["EINVAL", 0]);
    await expect(kernel.publish("orders", {})).rejects.toMatchObject({
      message: expect.stringContaining("body has no n") as string,
    });
    await expect(
      kernel.setTopicSchema("orders", { pattern: "a" }, { by: "me" }),
    ).rejects.toMatchObject({ code: "EINVAL" });
    await kernel.setTopicSchema("orders", null, { by: "me" });
    expect(await kernel.publish("orders", {})).toEqual({ reached: 0 });
  });
});

test("a stream is received by its id, in order, to its end", async () => {
  const { kernel } = await bootForTest({
    programs: {
      reader: async (sys) => {
        const got: Json[] = [];
        for (;;) {
          const { body, type, stream } = await sys.receive({ stream: "s1" });
          got.push([type, body]);
          if (stream?.end === true) return got;
        }
      },
      writer: async (sys) => {
        const to: ProcessId = await sys.spawn("reader", null);
        await sys.send(to, "aside");
        await sys.send(to, 1, { stream: { id: "s1" } });
        await sys.send(to, "other", { stream: { id: "s2" } });
        await sys.send(to, 2, { stream: { id: "s1", end: true } });
        return (await sys.wait(to)).output;
      },
    },
  });

  const pid = await kernel.spawn({ agent: "writer", capabilities: ["agent:reader:spawn"] });

  expect((await kernel.wait(pid)).output).toEqual([
    ["stream", 1],
    ["stream", 2],
  ]);
});

test("depth and age of a mailbox are shown, in memory and unloaded", async () => {
  const { kernel, again } = await bootForTest({
    programs: { deaf: async (sys) => sys.receive({ type: "end" }) },
  });
  const pid = await kernel.spawn({ agent: "deaf" });
  await kernel.send(pid, 1);
  await kernel.send(pid, 2);

  const loaded = (await kernel.show(pid)).mailbox;
  const { kernel: next } = await again({ unloadAfterMs: 0 });

  expect(loaded).toEqual({ depth: 2, oldestAt: expect.any(String) as string });
  expect((await next.show(pid)).mailbox).toEqual(loaded);
  expect((await next.list())[0]!.mailbox).toEqual(loaded);
  expect((await next.queue()).mailboxes).toEqual([
    { tenant: "default", depth: 2, oldestAt: loaded.oldestAt },
  ]);
  await next.send(pid, null, { type: "end" });
  await next.wait(pid);
});
