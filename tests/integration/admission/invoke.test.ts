// Asking a living agent: `INVOKE-2` and the like are the invariants of kernel/src/operator/invoke.ts.

import type { Json, Message } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf, until } from "../../helpers/kernel.ts";

type Program = NonNullable<NonNullable<Parameters<typeof bootForTest>[0]>["programs"]>[string];

/** Answers each question with how many it has answered; "wait" only when a message tells it to. */
const clerk: Program = async (sys) => {
  for (let answered = 1; ; answered++) {
    const { id, body } = await sys.receive({ type: "invoke" });
    const { input, context } = body as { input: Json; context?: Json };
    if (input === "end") return answered;
    if (input === "fail") {
      const error = { code: "EBUDGET", message: "nothing is left", hint: "more" };
      await sys.send("operator", { error }, { replyTo: id, type: "failure" });
      continue;
    }
    if (input === "wait") await sys.receive({ type: "go" });
    await sys.send("operator", { answered, input, context: context ?? null }, { replyTo: id });
  }
};

const boot = (options: Parameters<typeof bootForTest>[0] = {}) =>
  bootForTest({ programs: { clerk }, ...options });

test("what is asked is answered, with the context that it brings (INVOKE-1)", async () => {
  const { kernel } = await boot();
  const pid = await kernel.spawn({ agent: "clerk" });
  const context: Message[] = [{ role: "user", content: "x".repeat(5000) }];

  const first = await kernel.invoke(pid, { input: "one" });
  const second = await kernel.invoke(pid, { input: "two", context });

  expect(first).toMatchObject({ pid, isRepeat: false, output: { answered: 1, input: "one" } });
  expect(second.output).toEqual({ answered: 2, input: "two", context });
});

test.each([0, 60_000])(
  "the same key is one question, also at once, later and after a crash (INVOKE-2; unloaded after %s ms)",
  async (unloadAfterMs) => {
    const booted = await boot({ unloadAfterMs });
    const pid = await booted.kernel.spawn({ agent: "clerk" });
    const ask = (kernel = booted.kernel) =>
      kernel.invoke(pid, { input: "q".repeat(3000), key: "k" });

    const [one, two] = await Promise.all([ask(), ask()]);
    const later = await ask();
    const { kernel } = await booted.crash();
    const after = await ask(kernel);

    expect(one).toMatchObject({ isRepeat: false, output: { answered: 1 } });
    expect([two, later, after]).toEqual(Array(3).fill({ ...one, isRepeat: true }));
    const next = await kernel.invoke(pid, { input: "another", key: "other" });
    expect(next).toMatchObject({ isRepeat: false, output: { answered: 2 } });
  },
);

test("who waited too short has the answer later, whatever dies in between (INVOKE-3)", async () => {
  const booted = await boot();
  const pid = await booted.kernel.spawn({ agent: "clerk" });
  const ask = { input: "wait", key: "k" };

  expect(await codeOf(booted.kernel.invoke(pid, { ...ask, timeoutMs: 50 }))).toBe("ETIMEDOUT");
  const { kernel } = await booted.crash();
  expect(await codeOf(kernel.invoke(pid, { ...ask, timeoutMs: 50 }))).toBe("ETIMEDOUT");
  await kernel.send(pid, null, { type: "go" });

  expect(await kernel.invoke(pid, ask)).toMatchObject({ isRepeat: true, output: { answered: 1 } });
  expect(callsOf(await kernel.journal(pid)).filter((call) => call.startsWith("send"))).toHaveLength(
    1,
  );
});

test("a question that waits in the mailbox is not put in twice", async () => {
  const { kernel } = await boot({ admission: { running: 1 }, unloadAfterMs: 60_000 });
  const first = await kernel.spawn({ agent: "clerk" });
  const pid = await kernel.spawn({ agent: "clerk" });
  const ask = { input: "q", key: "k" };

  expect(await codeOf(kernel.invoke(pid, { ...ask, timeoutMs: 20 }))).toBe("ETIMEDOUT");
  expect(await codeOf(kernel.invoke(pid, { ...ask, timeoutMs: 20 }))).toBe("ETIMEDOUT");
  await kernel.signal(first, "SIGKILL");

  expect((await kernel.invoke(pid, ask)).output).toMatchObject({ answered: 1 });
  expect((await kernel.invoke(pid, { input: "r" })).output).toMatchObject({ answered: 2 });
});

test("a failure is one for whoever asks, each time (INVOKE-4)", async () => {
  const { kernel } = await boot();
  const pid = await kernel.spawn({ agent: "clerk" });
  const failure = { code: "EBUDGET", message: "nothing is left", hint: "more" };

  await expect(kernel.invoke(pid, { input: "fail", key: "k" })).rejects.toMatchObject(failure);
  await expect(kernel.invoke(pid, { input: "fail", key: "k" })).rejects.toMatchObject(failure);
});

test("one that ends before it answers is an error, and so is one that has ended", async () => {
  const { kernel } = await boot();
  const pid = await kernel.spawn({ agent: "clerk" });
  const answered = await kernel.invoke(pid, { input: "q", key: "k" });

  await expect(kernel.invoke(pid, { input: "end" })).rejects.toMatchObject({
    code: "ESTATE",
    message: `${pid} ended before it answered`,
  });
  await expect(kernel.invoke(pid, { input: "q" })).rejects.toMatchObject({ code: "ESTATE" });
  expect(await kernel.invoke(pid, { key: "k" })).toEqual({ ...answered, isRepeat: true });
});

test("the label of the question is what its answer knows", async () => {
  const { kernel } = await boot();
  const pid = await kernel.spawn({ agent: "clerk" });
  const label = { integrity: "untrusted", secrecy: "confidential" } as const;

  await kernel.invoke(pid, { input: "q", label });

  expect((await kernel.show(pid)).labels).toEqual(label);
});

test.each([0, 60_000])(
  "an operator is only answered: any other replyTo is refused (unloaded after %s ms)",
  async (unloadAfterMs) => {
    const { kernel } = await boot({
      unloadAfterMs,
      programs: {
        writer: async (sys) => {
          const { id } = await sys.receive();
          const request = await sys.receive({ type: "order" });
          return Promise.all([
            codeOf(sys.send("operator", "unasked")),
            codeOf(sys.send("operator", "made up", { replyTo: "msg_0" })),
            codeOf(sys.send("operator", "fine", { replyTo: id })),
            codeOf(sys.send("operator", "from another", { replyTo: request.id })),
          ]);
        },
        other: async (sys, parent) => sys.send(parent as string, "order", { type: "order" }),
      },
    });
    const pid = await kernel.spawn({ agent: "writer" });
    await kernel.send(pid, "hello");
    const capabilities = [`message:${pid}:send`];
    await kernel.spawn({ agent: "other", input: pid, capabilities });
    await until(async () => (await kernel.show(pid)).endedAt !== null);

    expect((await kernel.wait(pid)).output).toEqual(["EINVAL", "EINVAL", "ok", "EINVAL"]);
  },
);
