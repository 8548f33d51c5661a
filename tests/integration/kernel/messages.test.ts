import type { ProcessId } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";

test("parent and child may talk without a capability; strangers may not", async () => {
  const { kernel } = await bootForTest({
    programs: {
      child: async (sys) => {
        const { from, body } = await sys.receive();
        await sys.send(from, { heard: body });
      },
      parent: async (sys, stranger) => {
        const child = await sys.spawn("child", null);
        await sys.send(child, "hello");
        const { body } = await sys.receive({ from: child });
        return [body, await codeOf(sys.send(stranger as string, "hello"))];
      },
      stranger: async (sys) => sys.receive(),
    },
  });
  const stranger = await kernel.spawn({ agent: "stranger" });

  const pid = await kernel.spawn({
    agent: "parent",
    input: stranger,
    capabilities: ["agent:child:spawn"],
  });

  expect((await kernel.wait(pid)).output).toEqual([{ heard: "hello" }, "EACCES"]);
});

test("messages are received in the order of sending, by whoever asks for their kind", async () => {
  const { kernel } = await bootForTest({
    programs: {
      reader: async (sys) => {
        const urgent = (await sys.receive({ type: "urgent" })).body;
        return [urgent, (await sys.receive()).body, (await sys.receive()).body];
      },
    },
  });
  const pid = await kernel.spawn({ agent: "reader" });

  await kernel.send(pid, 1);
  await kernel.send(pid, 2);
  await kernel.send(pid, 3, { type: "urgent" });

  expect((await kernel.wait(pid)).output).toEqual([3, 1, 2]);
});

test("a request gets its own answer, also when several wait and others listen", async () => {
  const { kernel } = await bootForTest({
    programs: {
      server: async (sys) => {
        const asked = [await sys.receive(), await sys.receive()];
        for (const { from, replyTo, body } of asked.reverse())
          await sys.send(from, `answer to ${body as string}`, { replyTo: replyTo! });
        await sys.send(asked[0]!.from, "by the way");
      },
      client: async (sys) => {
        const server = await sys.spawn("server", null);
        return Promise.all([
          sys.receive().then(({ body }) => body),
          sys.request(server, "one"),
          sys.request(server, "two"),
        ]);
      },
    },
  });

  const pid = await kernel.spawn({ agent: "client", capabilities: ["agent:server:spawn"] });

  expect((await kernel.wait(pid)).output).toEqual(["by the way", "answer to one", "answer to two"]);
});

test("a request that was counted once is not counted again when its process is rebuilt", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    programs: {
      server: async (sys) => {
        for (;;) {
          const { from, replyTo, body } = await sys.receive({ type: "request" });
          if (body === "one") await sys.receive({ type: "now" });
          await sys.send(from, `answer to ${body as string}`, { replyTo: replyTo! });
        }
      },
      client: async (sys, server) => [
        await sys.request(server as string, "one"),
        await sys.request(server as string, "two"),
        await codeOf(sys.request(server as string, "three")),
      ],
    },
  });
  const server = await kernel.spawn({ agent: "server", capabilities: ["message:*:send"] });
  const client = await kernel.spawn({
    agent: "client",
    input: server,
    capabilities: [`message:${server}:send{max:2}`],
  });
  await until(async () => (await kernel.status()).loaded === 0, "sleep");

  await kernel.send(server, null, { type: "now" });

  expect((await kernel.wait(client)).output).toEqual(["answer to one", "answer to two", "EACCES"]);
});

test("waiting for a message ends at its time", async () => {
  const { kernel } = await bootForTest({
    programs: {
      reader: async (sys) => codeOf(sys.receive({ until: (await sys.now()) + 30 })),
    },
  });

  const pid = await kernel.spawn({ agent: "reader" });

  expect((await kernel.wait(pid)).output).toBe("ETIMEDOUT");
});

test("what is published reaches all who subscribed, and nobody else", async () => {
  const { kernel } = await bootForTest({
    programs: {
      listener: async (sys, topic) => {
        await sys.subscribe(topic as string);
        await sys.send((await sys.self()).parent!, "ready");
        const { body, topic: heard } = await sys.receive({ topic: topic as string });
        return [heard, body];
      },
      herald: async (sys) => {
        const children: ProcessId[] = [];
        for (const topic of ["news", "news", "sport"])
          children.push(
            await sys.spawn("listener", topic, { capabilities: ["message:*:subscribe"] }),
          );
        for (const _ of children) await sys.receive();
        const reached = [await sys.publish("news", "it rains"), await sys.publish("sport", "0:0")];
        const ends = await Promise.all(children.map((child) => sys.wait(child)));
        return [reached, ends.map(({ output }) => output)];
      },
    },
  });

  const pid = await kernel.spawn({
    agent: "herald",
    capabilities: ["agent:listener:spawn", "message:*:publish,subscribe"],
  });

  expect((await kernel.wait(pid)).output).toEqual([
    [2, 1],
    [
      ["news", "it rains"],
      ["news", "it rains"],
      ["sport", "0:0"],
    ],
  ]);
});

test("a full mailbox refuses with EAGAIN and says when to try again, also many at once", async () => {
  const { kernel } = await bootForTest({
    limits: { mailboxDepth: 5 },
    programs: {
      deaf: async (sys) => sys.exec("look", { hang: true }),
      pusher: async (sys, deaf) => {
        const sent = Array.from({ length: 8 }, () => codeOf(sys.send(deaf as string, 1)));
        return (await Promise.all(sent)).sort();
      },
    },
  });
  const deaf = await kernel.spawn({ agent: "deaf", capabilities: ["tool:look:call"] });

  const pid = await kernel.spawn({
    agent: "pusher",
    input: deaf,
    capabilities: ["message:*:send"],
  });

  const refused = ["EAGAIN", "EAGAIN", "EAGAIN"];
  expect((await kernel.wait(pid)).output).toEqual([...refused, "ok", "ok", "ok", "ok", "ok"]);
  await expect(kernel.send(deaf, 1)).rejects.toMatchObject({ code: "EAGAIN", retryAfter: 1000 });
});

test("a full mailbox of a process that is asleep refuses too", async () => {
  const { kernel } = await bootForTest({
    unloadAfterMs: 0,
    limits: { mailboxDepth: 5 },
    programs: { picky: async (sys) => sys.receive({ type: "never" }) },
  });
  const pid = await kernel.spawn({ agent: "picky" });
  await until(async () => (await kernel.status()).loaded === 0, "sleep");

  const sent = await Promise.all(Array.from({ length: 8 }, () => codeOf(kernel.send(pid, 1))));

  expect(sent.filter((code) => code === "ok").length).toBe(5);
  expect(sent.filter((code) => code === "EAGAIN").length).toBe(3);
});

test("a message that was sent and taken in one breath is not there again after a restart", async () => {
  const booted = await bootForTest({
    programs: {
      reader: async (sys) => {
        await sys.now();
        const heard = [(await sys.receive()).body];
        await sys.send((await sys.self()).parent!, "got it");
        heard.push((await sys.receive()).body);
        return heard;
      },
      writer: async (sys) => {
        const reader = await sys.spawn("reader", null);
        await sys.now();
        await sys.send(reader, "first");
        await sys.receive();
        return sys.wait(reader);
      },
    },
  });
  const writer = await booted.kernel.spawn({
    agent: "writer",
    capabilities: ["agent:reader:spawn"],
  });
  await until(async () => (await booted.kernel.list({ parent: writer })).length === 1);
  const [reader] = await booted.kernel.list({ parent: writer });
  await until(async () => (await booted.kernel.show(writer)).waitingOn === "child");

  const { kernel } = await booted.again();

  await kernel.send(reader!.pid, "second");
  expect((await kernel.wait(reader!.pid)).output).toEqual(["first", "second"]);
});

test("a process of another tenant does not exist", async () => {
  const { kernel } = await bootForTest({
    tenants: { one: {}, two: {} },
    programs: {
      target: async (sys) => sys.receive(),
      spy: async (sys, pid) => [
        await codeOf(sys.send(pid as string, 1)),
        await codeOf(sys.request(pid as string, 1)),
        await codeOf(sys.wait(pid as string)),
        await codeOf(sys.signal(pid as string, "SIGKILL")),
        await sys.publish("news", 1),
      ],
    },
  });
  const target = await kernel.spawn({ agent: "target", tenant: "one" });

  const spy = await kernel.spawn({
    agent: "spy",
    input: target,
    tenant: "two",
    capabilities: ["message:*:send,publish", "agent:*:wait", "signal:*:send"],
  });

  expect((await kernel.wait(spy)).output).toEqual(["ENOENT", "ENOENT", "ENOENT", "ENOENT", 0]);
});

test("nothing is sent to a process that has ended", async () => {
  const { kernel } = await bootForTest({
    programs: {
      brief: async () => "gone",
      parent: async (sys) => {
        const child = await sys.spawn("brief", null);
        const { output } = await sys.wait(child);
        return [output, await codeOf(sys.send(child, 1)), await codeOf(sys.request(child, 1))];
      },
    },
  });

  const pid = await kernel.spawn({ agent: "parent", capabilities: ["agent:brief:spawn"] });

  expect((await kernel.wait(pid)).output).toEqual(["gone", "ENOENT", "ENOENT"]);
  const [child] = await kernel.list({ parent: pid });
  await expect(kernel.send(child!.pid, 1)).rejects.toMatchObject({ code: "ESTATE" });
});
