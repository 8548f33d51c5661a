import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalText, type Message, syscalls, SysError } from "@aos/protocol";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { createScriptedModels, type ScriptText } from "./index.ts";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });
const called = (id: string, tool: string): Message => ({
  role: "assistant",
  content: "",
  toolCalls: [{ id, tool, args: {} }],
});
const result = (toolCallId: string, content: string): Message => ({
  role: "tool",
  content,
  toolCallId,
});

const context = (signal = new AbortController().signal) => deviceContextForTest({ signal });

const model = (script: ScriptText) =>
  createScriptedModels({ folders: [], scripts: { it: script } });
const infer = (script: ScriptText, messages: Message[], more: { maxTokens?: number } = {}) =>
  model(script).infer({ model: "scripted/it", messages, ...more }, context());

describe("what it says", () => {
  test("a list of turns is played in order", async () => {
    const script = { turns: [{ say: "one" }, { call: [{ tool: "echo" }] }, { say: "three" }] };

    const first = await infer(script, [user("go")]);
    const second = await infer(script, [user("go"), said("one"), user("more")]);
    const third = await infer(script, [
      user("go"),
      said("one"),
      user("more"),
      called("call_2_1", "echo"),
      result("call_2_1", "{}"),
    ]);

    expect(first).toMatchObject({ text: "one", toolCalls: [], finish: "stop", usd: 0 });
    expect(second).toMatchObject({
      text: "",
      toolCalls: [{ id: "call_2_1", tool: "echo", args: {} }],
      finish: "tool",
    });
    expect(third).toMatchObject({ text: "three" });
  });

  test("the first turn that fits wins, wherever it stands", async () => {
    const script = `
turns:
  - when: { last: user, contains: [hello, there] }
    say: both
  - when: { contains: hello }
    say: one
  - when: { turn: 2 }
    say: second
otherwise: { say: lost }
`;
    await expect(infer(script, [user("hello there")])).resolves.toMatchObject({ text: "both" });
    await expect(infer(script, [user("hello you")])).resolves.toMatchObject({ text: "one" });
    await expect(infer(script, [user("x"), said("y"), user("z")])).resolves.toMatchObject({
      text: "second",
    });
    await expect(infer(script, [user("bye")])).resolves.toMatchObject({ text: "lost" });
  });

  test("a tool is known by the call that its result answers", async () => {
    const script: ScriptText = {
      turns: [
        { when: { tool: "file.read" }, say: "read {{last}} for {{input}}" },
        { when: { tool: "echo" }, say: "echoed" },
      ],
    };

    const messages = [user("me"), called("c9", "file.read"), result("c9", "42")];

    await expect(infer(script, messages)).resolves.toMatchObject({ text: "read 42 for me" });
  });

  test("what comes into a slot is not looked at again, and arguments have slots too", async () => {
    const script: ScriptText = {
      turns: [
        { say: "{{last}}", call: [{ tool: "echo", args: { deep: [{ text: "<{{ input }}>" }] } }] },
      ],
    };

    const reply = await infer(script, [user("{{input}}!")]);

    expect(reply.text).toBe("{{input}}!");
    expect(reply.toolCalls[0]?.args).toEqual({ deep: [{ text: "<{{input}}!>" }] });
  });

  test("what is verbatim is said as it stands, and nothing is cut off or counted beyond the limit", async () => {
    const say = "{{last}} {{nothing}} and much more than fits";
    const script: ScriptText = {
      turns: [{ say, verbatim: true, call: [{ tool: "echo", args: ["{{input}}"] }] }],
    };

    const reply = await infer(script, [user("me")], { maxTokens: 3 });

    expect(reply).toMatchObject({ text: say, finish: "tool", usage: { outputTokens: 3 } });
    expect(reply.toolCalls[0]?.args).toEqual(["{{input}}"]);
  });

  test.each(["length", "filter"] as const)("an answer may end with %s", async (finish) => {
    const script: ScriptText = { turns: [{ say: "so far", finish }] };

    await expect(infer(script, [user("me")])).resolves.toMatchObject({ text: "so far", finish });
  });

  test("a turn that plays once is passed over when it has answered before", async () => {
    const script: ScriptText = {
      turns: [
        { when: { contains: "go" }, say: "first, {{last}}", once: true },
        { when: {}, say: "again" },
      ],
    };

    const conversation = [user("go on")];
    const first = await infer(script, conversation);
    const second = await infer(script, [...conversation, said(first.text), user("go on")]);

    expect(first.text).toBe("first, go on");
    expect(second.text).toBe("again");
  });

  test("the same request gets the same answer", async () => {
    const driver = model({
      turns: [{ when: { contains: "a" }, say: "{{last}}", once: true }],
      otherwise: { say: "{{input}}", call: [{ tool: "echo" }] },
    });
    const message = fc.record({
      role: fc.constantFrom("user" as const, "assistant" as const),
      content: fc.string(),
    });

    await fc.assert(
      fc.asyncProperty(fc.array(message), async (messages) => {
        const request = { model: "scripted/it", messages };
        const reply = await driver.infer(request, context());
        const worst = driver.worstCase(request);

        expect(canonicalText((await driver.infer(request, context())) as never)).toBe(
          canonicalText(reply as never),
        );
        expect(reply.usage.inputTokens + reply.usage.outputTokens).toBeLessThanOrEqual(
          worst.tokens,
        );
      }),
    );
  });

  test("an answer longer than was paid for is cut off and says so", async () => {
    const script = { turns: [{ say: "x".repeat(100), call: [{ tool: "echo" }] }] };

    const reply = await infer(script, [user("go")], { maxTokens: 5 });

    expect(reply).toMatchObject({ text: "x".repeat(20), toolCalls: [], finish: "length" });
    expect(reply.usage).toEqual({ inputTokens: 1, outputTokens: 5 });
  });

  test("the worst case is what is shown, and all that may be said", () => {
    const request = { model: "scripted/it", messages: [user("12345678")] };

    expect(model({ turns: [] }).worstCase(request)).toEqual({ usd: 0, tokens: 2 + 4096 });
    expect(model({ turns: [] }).worstCase({ ...request, maxTokens: 10 }).tokens).toBe(12);
  });

  test("its reply fits what a program sends back to it", async () => {
    const reply = await infer({ turns: [{ call: [{ tool: "echo" }] }] }, [user("go")]);

    const next = {
      model: "scripted/it",
      messages: [user("go"), { role: "assistant", content: "", toolCalls: reply.toolCalls }],
    };

    expect(syscalls.infer.args.safeParse(next).success).toBe(true);
  });
});

describe("what it refuses", () => {
  test("a request that nothing fits names the script and what it was shown", async () => {
    const asking = infer({ turns: [{ say: "one" }] }, [user("a"), said("one"), user("what now?")]);

    await expect(asking).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringMatching(/scripted\/it .* turn 2.* role user .*"what now\?"/),
    });
  });

  test("a request that was stopped, before its answer and while it waits", async () => {
    const driver = model({ turns: [{ say: "late", delayMs: 60_000 }] });
    const request = { model: "scripted/it", messages: [user("go")] };
    const controller = new AbortController();

    const waiting = driver.infer(request, context(controller.signal));
    setTimeout(() => controller.abort(), 5);

    await expect(waiting).rejects.toMatchObject({ code: "EINTR" });
    await expect(
      driver.infer(request, context(AbortSignal.abort(new SysError("ETIMEDOUT", "time is up")))),
    ).rejects.toMatchObject({ code: "ETIMEDOUT" });
  });
});

describe("where scripts are found", () => {
  let near: string;
  let far: string;
  beforeEach(async () => {
    near = await mkdtemp(join(tmpdir(), "aos-near-"));
    far = await mkdtemp(join(tmpdir(), "aos-far-"));
  });
  afterEach(async () => {
    await rm(near, { recursive: true });
    await rm(far, { recursive: true });
  });
  const ask = (name: string) =>
    createScriptedModels({ folders: [near, far] }).infer({ model: name, messages: [] }, context());

  test("the first folder that has it wins, and a change is seen at the next request", async () => {
    await writeFile(join(far, "x.yaml"), "turns: [{ say: far }]");
    const before = await ask("scripted/x");
    await writeFile(join(near, "x.yaml"), "turns: [{ say: near }]");
    const after = await ask("scripted/x");

    expect([before.text, after.text]).toEqual(["far", "near"]);
  });

  test("an agent of the same name is not its script", async () => {
    await writeFile(join(near, "x.yaml"), "# mine\napiVersion: aos/v1\nkind: Agent\nname: x\n");
    await writeFile(join(far, "x.yaml"), "turns: [{ say: 'apiVersion: aos/v1' }]");

    expect((await ask("scripted/x")).text).toBe("apiVersion: aos/v1");
  });

  test("an error names the file", async () => {
    await writeFile(join(near, "x.yaml"), "turns: []\nmore: 1\n");

    await expect(ask("scripted/x")).rejects.toMatchObject({
      code: "EINVAL",
      message: `${join(near, "x.yaml")}:2:1: more: unknown field`,
    });
  });

  test("a script that is nowhere is ENOENT, and says where it could be", async () => {
    await expect(ask("scripted/none")).rejects.toMatchObject({
      code: "ENOENT",
      hint: expect.stringContaining(near),
    });
  });

  test.each([
    "scripted/../x",
    "scripted/a/b",
    "scripted/.x",
    "scripted/",
    "scripted/X",
    "other/x",
    "x",
  ])("%s is no name", async (name) => {
    await expect(ask(name)).rejects.toMatchObject({ code: "EINVAL" });
  });
});
