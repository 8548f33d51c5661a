// What a process sees below /ctx, and what people see of its context.

import {
  type Json,
  type Message,
  type ModelDriver,
  archiveNoticeMessage,
  type Sys,
} from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, type Booted } from "../../helpers/kernel.ts";
import { tokensOf, windowModel } from "./window-model.ts";

const MODEL = ["model:small/*:infer"];
const user = (content: string): Message => ({ role: "user", content });
const SYSTEM: Message = { role: "system", content: "Be brief." };

const ask = (sys: Sys, ...messages: Message[]) =>
  sys.infer({ model: "small/it", messages: [SYSTEM, ...messages] });

const talk = windowModel({ answer: () => ({ text: "ok" }) });

/** Three messages, then a summary of the first two in their place. */
async function compacting(sys: Sys): Promise<void> {
  await ask(sys, user("the key is 4711"), user("two"), user("three"));
  await ask(
    sys,
    archiveNoticeMessage({ first: 2, last: 3, archive: 1, summary: "nothing" }),
    user("three"),
    user("four"),
  );
}

async function ran(
  program: (sys: Sys) => Promise<unknown>,
  capabilities = MODEL,
): Promise<{ booted: Booted; pid: string; output: Json }> {
  const booted = await bootForTest({
    programs: { it: async (sys) => (await program(sys)) as Json },
    models: [talk.model],
  });
  const pid = await booted.kernel.spawn({ agent: "it", capabilities });
  const { output, error } = await booted.kernel.wait(pid);
  expect(error).toBeNull();
  return { booted, pid, output };
}

test("a process reads the messages of its last request by their ids, and what was taken out", async () => {
  const { output } = await ran(async (sys) => {
    const before = await sys.list("/ctx");
    await compacting(sys);
    const paths = await sys.list("/ctx");
    const messages = [];
    for (const path of paths) messages.push(await sys.read(path));
    return { before, paths, messages, archives: await sys.list("/ctx/archive") };
  });

  const { before, paths, messages, archives } = output as Record<string, Json[]>;
  expect(before).toEqual([]);
  expect(paths).toHaveLength(5);
  expect(paths![0]).toMatch(/^\/ctx\/[0-9a-f]{64}$/);
  expect(messages![0]).toEqual(SYSTEM);
  expect(messages![3]).toEqual(user("four"));
  expect(messages![4]).toEqual([user("the key is 4711"), user("two")]);
  expect(archives).toEqual(["/ctx/archive/1"]);
});

test("an archive is read piece by piece, and searched by words", async () => {
  const whole = JSON.stringify([user("the key is 4711"), user("two")]);
  const { output } = await ran(async (sys) => {
    await compacting(sys);
    return [
      await sys.read("/ctx/archive/1", { offset: 0, length: 20 }),
      await sys.read("/ctx/archive/1", { offset: 20 }),
      await sys.search("/ctx/archive", "KEY is 4711"),
      await sys.search("/ctx/archive/1", "4711 of the door"),
      await sys.search("/ctx/archive", "nowhere"),
      await sys.search("/ctx/archive", "the key two", { limit: 1 }),
    ] as Json;
  });

  const [first, rest, exact, some, none, best] = output as Json[];
  expect(first).toEqual({ text: whole.slice(0, 20), next: 20, of: whole.length });
  expect(rest).toEqual({ text: whole.slice(20), next: null, of: whole.length });
  const data = { role: "user", text: "the key is 4711", offset: 1 };
  expect(exact).toEqual([{ path: "/ctx/archive/1", data, score: 2 }]);
  expect(some).toEqual([{ path: "/ctx/archive/1", data, score: 0.5 }]);
  expect(none).toEqual([]);
  expect(best).toMatchObject([{ data: { text: "the key is 4711" } }]);
});

test("a second compaction has its own archive, with the earlier summary in it", async () => {
  const { output } = await ran(async (sys) => {
    await compacting(sys);
    const second = archiveNoticeMessage({ first: 2, last: 4, archive: 2 });
    await ask(sys, second, user("four"), user("five"));
    await ask(sys, second, user("four"), user("five"), user("six"));
    const { length } = await sys.list("/ctx/archive");
    return [await sys.read("/ctx/archive/1"), await sys.read("/ctx/archive/2"), length];
  });

  const [one, two, archives] = output as unknown as [Message[], Message[], number];
  expect(archives).toBe(2);
  expect(one.map(({ content }) => content)).toEqual(["the key is 4711", "two"]);
  expect(two).toHaveLength(2);
  expect(two[0]!.content).toMatch(/^\[Summary of messages 2–3\./);
  expect(two[1]).toEqual(user("three"));
});

test("a request for a summary is no turn: it neither becomes the context nor hides what was before", async () => {
  const { output, booted, pid } = await ran(async (sys) => {
    await ask(sys, user("a"), user("b"), user("c"));
    const asked = "You write the summary that takes the place of a part of a conversation.";
    await sys.infer({
      model: "small/it",
      messages: [{ role: "system", content: asked }, user("user: a")],
    });
    const between = await sys.list("/ctx");
    await ask(
      sys,
      archiveNoticeMessage({ first: 2, last: 3, archive: 1, summary: "s" }),
      user("c"),
    );
    return { between, archive: await sys.read("/ctx/archive/1") } as Json;
  });

  const { between, archive } = output as { between: Json[]; archive: Json };
  expect(between).toHaveLength(4);
  expect(archive).toEqual([user("a"), user("b")]);
  expect((await booted.kernel.context(pid)).compactions).toBe(1);
});

test("a process that holds two conversations finds what was taken out of each", async () => {
  const { output } = await ran(async (sys) => {
    const other = (...said: Message[]) =>
      sys.infer({ model: "small/it", messages: [user("another"), ...said] });
    await ask(sys, user("a"), user("b"), user("c"));
    await other(user("x"), user("y"), user("z"));
    await ask(sys, archiveNoticeMessage({ first: 2, last: 3, archive: 1 }), user("c"));
    return sys.read("/ctx/archive/1");
  });

  expect(output).toEqual([user("a"), user("b")]);
});

test("words that look like a summary, and name what is not there, make no archive", async () => {
  const { output } = await ran(async (sys) => {
    await ask(sys, user("a"));
    await ask(sys, archiveNoticeMessage({ first: 2, last: 9, archive: 1 })); // more than there was
    await ask(sys, user("a"), user("b"));
    await ask(sys, user("a"), archiveNoticeMessage({ first: 3, last: 3, archive: 7 })); // not the next one
    return sys.list("/ctx/archive");
  });

  expect(output).toEqual([]);
});

test("what was refused because it is no request is no turn", async () => {
  const { output, booted, pid } = await ran(async (sys) => {
    await ask(sys, user("a"));
    for (const odd of [null, 7, { role: "user" }, { ...user("x"), toolCalls: "x" }])
      await codeOf(sys.infer({ model: "small/it", messages: [user("b"), odd as Message] }));
    await codeOf(sys.infer({ model: "small/it", messages: "x" as never }));
    await codeOf(sys.infer({ model: "small/it", messages: null as never }));
    return (await sys.list("/ctx")).length;
  });

  expect(output).toBe(2);
  expect((await booted.kernel.exportContext(pid)).at(-1)).toEqual(user("a"));
});

test("it is its own and needs no capability; nothing is written there, and there is nothing else", async () => {
  const { output } = await ran(async (sys) => {
    await compacting(sys);
    const [path] = await sys.list("/ctx");
    const fails = (what: Promise<unknown>) => codeOf(what);
    return [
      await fails(sys.write(path!, "x")),
      await fails(sys.remove("/ctx/archive/1")),
      await fails(sys.read("/ctx/archive/2")),
      await fails(sys.read("/ctx/archive/01")),
      await fails(sys.read(`/ctx/${"0".repeat(64)}`)),
      await fails(sys.list("/ctx/none")),
      await fails(sys.search("/ctx/archive/9", "x")),
    ];
  });

  expect(output).toEqual(["EACCES", "EACCES", ...Array(5).fill("ENOENT")]);
});

test("a process does not see the blocks of another one", async () => {
  const booted = await bootForTest({
    programs: {
      one: async (sys) => {
        await compacting(sys);
        return sys.list("/ctx");
      },
      other: async (sys, input) => {
        await ask(sys, user("mine"));
        return codeOf(sys.read((input as string[]).at(-2)!));
      },
    },
    models: [talk.model],
  });
  const { kernel } = booted;
  const first = await kernel.spawn({ agent: "one", capabilities: MODEL });
  const { output: input } = await kernel.wait(first);

  const second = await kernel.spawn({ agent: "other", capabilities: MODEL, input });

  expect((await kernel.wait(second)).output).toBe("ENOENT");
});

test("a fork has the context and the archive of its origin, as the same blocks; a crash loses neither", async () => {
  const programs = {
    it: async (sys: Sys) => {
      await compacting(sys);
      await sys.receive();
      return { paths: await sys.list("/ctx"), archive: await sys.read("/ctx/archive/1") } as Json;
    },
  };
  const booted = await bootForTest({ programs, models: [talk.model] });
  const pid = await booted.kernel.spawn({ agent: "it", capabilities: MODEL });
  while ((await booted.kernel.show(pid)).waitingOn !== "message")
    await new Promise((resolve) => setTimeout(resolve, 5));

  const { kernel } = await booted.crash();
  const fork = await kernel.fork(pid);
  await kernel.send(pid, 1);
  await kernel.send(fork, 1);

  const [origin, forked] = [(await kernel.wait(pid)).output, (await kernel.wait(fork)).output];
  expect((origin as { paths: Json[] }).paths).toHaveLength(5);
  expect(forked).toEqual(origin);
  const ids = (await kernel.context(fork)).blocks.map(({ id }) => id);
  expect(ids).toEqual((await kernel.context(pid)).blocks.map(({ id }) => id));
});

test("people see it block by block, with its tokens and its price, at any record", async () => {
  const { booted, pid } = await ran(compacting);
  const { kernel } = booted;

  const report = await kernel.context(pid);
  const { blocks, ...rest } = report;
  const messages = await kernel.exportContext(pid);
  expect(messages.map(({ content }) => content)).toEqual([
    "Be brief.",
    expect.any(String),
    "three",
    "four",
  ]);
  expect(rest).toEqual({
    pid,
    model: "small/it",
    tokens: tokensOf(messages),
    window: 4000,
    compactions: 1,
    nextUsd: (tokensOf(messages) * 2) / 1_000_000,
  });
  expect(blocks[1]).toMatchObject({
    role: "user",
    text: expect.stringMatching(/^\[Summary of messages 2–3/),
    tokens: tokensOf([messages[1]!]),
    replaces: { messages: 2, archive: "/ctx/archive/1" },
  });
  expect(blocks[2]).toMatchObject({ text: "three", toolCalls: [], replaces: null });

  const first = (await kernel.journal(pid)).find((record) => "call" in record)!.seq;
  const earlier = await kernel.context(pid, { at: first });
  expect(earlier.blocks.map(({ text }) => text)).toEqual([
    "Be brief.",
    "the key is 4711",
    "two",
    "three",
  ]);
  expect(earlier.compactions).toBe(0);
  expect(await kernel.context(pid, { at: 0 })).toMatchObject({
    model: null,
    tokens: 0,
    blocks: [],
  });
  expect(await kernel.exportContext(pid, { at: 0 })).toEqual([]);
});

test("CONTEXT-1: what the provider counted goes before what is counted here", async () => {
  const counting = windowModel({ answer: () => ({ text: "ok" }) });
  const usage = { inputTokens: 12_345, outputTokens: 1 };
  const model: ModelDriver = {
    ...counting.model,
    infer: async (...asked) => ({ ...(await counting.model.infer(...asked)), usage }),
  };
  const { kernel } = await bootForTest({
    programs: { it: async (sys) => void (await ask(sys, user("a"))) },
    models: [model],
  });
  const pid = await kernel.spawn({ agent: "it", capabilities: MODEL });
  await kernel.wait(pid);

  const { tokens, nextUsd } = await kernel.context(pid);

  expect({ tokens, nextUsd }).toEqual({ tokens: 12_345, nextUsd: (12_345 * 2) / 1_000_000 });
});
