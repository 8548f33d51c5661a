// The official client against a real daemon: every agent is a model.

import type OpenAI from "openai";
import { APIError, AuthenticationError, NotFoundError, PermissionDeniedError } from "openai";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { hammer, openOpenAiRig, type OpenAiRig, pidOf, weather } from "./openai-rig.ts";

let rig: OpenAiRig;
let client: OpenAI;
beforeAll(async () => {
  rig = await openOpenAiRig();
  ({ client } = rig);
});
afterAll(() => rig.close());

const say = (content: string): OpenAI.Chat.ChatCompletionMessageParam[] => [
  { role: "user", content },
];
const failureOf = async (asking: Promise<unknown>): Promise<APIError> => {
  const error: unknown = await asking.then(
    () => undefined,
    (failed: unknown) => failed,
  );
  if (!(error instanceof APIError)) throw new Error(`no failure: ${String(error)}`);
  return error;
};

test("every agent of the home is a model, to viewers too", async () => {
  const viewer = rig.clientOf(await rig.token("--role", "viewer", "--tenant", "b"));

  const listed = await viewer.models.list();
  const one = await viewer.models.retrieve("clerk");

  expect(listed.data.map(({ id }) => id)).toEqual(rig.agents);
  expect(one).toMatchObject({ id: "clerk", object: "model", owned_by: "agent-os" });
});

describe("chat", () => {
  test("an answer is a run: listed, journaled, with its tokens and its cost", async () => {
    const { data, request_id } = await client.chat.completions
      .create({ model: "clerk", messages: say("hello"), user: "u1", metadata: { ticket: "7" } })
      .withResponse();

    expect(data.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { role: "assistant", content: "You said hello" },
    });
    const { prompt_tokens: asked, completion_tokens: said } = data.usage!;
    expect(data.usage).toMatchObject({ total_tokens: asked + said, cost_usd: 0 });
    expect(request_id).toBe(pidOf(data));
    const run = await rig.run(pidOf(data));
    expect(run).toMatchObject({ agent: "clerk", program: "converse", state: "completed" });
    expect(run.budget.spent.tokens).toBe(asked + said);
    const [start] = (await rig.home.aos("logs", pidOf(data), "-o", "json")).stdout.split("\n");
    expect(start).toContain('"ticket":"7"');
    expect(start).toContain('"user":"u1"');
  });

  test("what is streamed is what is answered", async () => {
    const tools = [weather];
    const asked = { model: "clerk", messages: say("the weather?"), tools };
    const whole = await client.chat.completions.create(asked);

    const stream = client.chat.completions.stream({
      ...asked,
      stream_options: { include_usage: true },
    });
    const streamed = await stream.finalChatCompletion();

    expect(streamed.choices[0]!.message.content).toBe("I note that.\n\nI look it up.");
    expect(streamed.choices[0]!.message.content).toBe(whole.choices[0]!.message.content);
    expect(streamed.choices[0]!.finish_reason).toBe("tool_calls");
    expect(streamed.usage).toEqual(whole.usage);
  });

  test("a call of the caller's tool comes back, and the agent's own steps are not lost", async () => {
    const messages = say("the weather?");
    const first = await client.chat.completions.create({
      model: "clerk",
      messages,
      tools: [weather],
    });
    const { message, finish_reason } = first.choices[0]!;
    const [call] = message.tool_calls!;

    const second = await client.chat.completions.create({
      model: "clerk",
      tools: [weather],
      messages: [...messages, message, { role: "tool", tool_call_id: call!.id, content: "sunny" }],
    });

    expect(finish_reason).toBe("tool_calls");
    expect(call).toMatchObject({
      type: "function",
      function: { name: "get_weather", arguments: '{"city":"Paris"}' },
    });
    expect(second.choices[0]!.message.content).toBe("After three steps: sunny");
    expect((await rig.run(pidOf(second))).labels.integrity).toBe("untrusted");
  });

  test("the client's own loop over tools comes to the answer", async () => {
    const runner = client.chat.completions.runTools({
      model: "clerk",
      messages: say("the weather?"),
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "The weather of a city.",
            parameters: { type: "object", properties: { city: { type: "string" } } },
            parse: (text: string) => JSON.parse(text) as { city: string },
            function: ({ city }: { city: string }) => `sunny in ${city}`,
          },
        },
      ],
    });

    expect(await runner.finalContent()).toBe("After three steps: sunny in Paris");
  });

  test("several calls at once, beside one of the agent's own; one where one is wanted", async () => {
    const asked = { model: "clerk", messages: say("two cities"), tools: [weather] };

    const both = await client.chat.completions.create(asked);
    const one = await client.chat.completions.create({ ...asked, parallel_tool_calls: false });

    const { message } = both.choices[0]!;
    expect(message.tool_calls).toHaveLength(2);
    expect(one.choices[0]!.message.tool_calls).toHaveLength(1);
    const results = message.tool_calls!.map(
      ({ id }) => ({ role: "tool", tool_call_id: id, content: "rain" }) as const,
    );
    const after = await client.chat.completions.create({
      ...asked,
      messages: [...asked.messages, message, ...results],
    });
    expect(after.choices[0]!.message.content).toBe("After two steps: rain");
  });

  test("tool_choice: none offers none of the caller's tools, a name that one alone", async () => {
    const asked = { model: "clerk", messages: say("hello"), tools: [weather, hammer] };
    const offered = async (choice: OpenAI.Chat.ChatCompletionToolChoiceOption) => {
      const done = await client.chat.completions.create({ ...asked, tool_choice: choice });
      const { stdout } = await rig.home.aos("logs", pidOf(done), "-o", "json");
      const infer = stdout.split("\n").find((line) => line.includes('"call":"infer"'))!;
      const { args } = JSON.parse(infer) as { args: { tools: { name: string }[] } };
      return { names: args.tools.map(({ name }) => name), ...args };
    };

    const names = ["echo", "result.read"];
    expect((await offered("none")).names).toEqual(names);
    expect((await offered("auto")).names).toEqual([...names, "get_weather", "hammer"]);
    expect(await offered("required")).toMatchObject({
      names: ["get_weather", "hammer"],
      toolChoice: "required",
    });
    expect(await offered({ type: "function", function: { name: "hammer" } })).toMatchObject({
      names: ["hammer"],
      toolChoice: "required",
    });
  });

  test("max_tokens cuts off, and says so; a form is kept to", async () => {
    const cut = await client.chat.completions.create({
      model: "clerk",
      messages: say("a long story"),
      max_tokens: 5,
    });
    const parsed = await client.chat.completions.parse({
      model: "loose",
      messages: say("where?"),
      response_format: {
        type: "json_schema",
        json_schema: {
          name: "place",
          schema: { type: "object", required: ["city"], properties: { city: { type: "string" } } },
        },
      },
    });
    const own = await client.chat.completions.create({ model: "form", messages: say("2 + 2?") });

    expect(cut.choices[0]).toMatchObject({ finish_reason: "length" });
    expect(cut.choices[0]!.message.content).toBe("Once upon a time the");
    expect(parsed.choices[0]!.message.parsed).toEqual({ city: "Paris" });
    expect(own.choices[0]!.message.content).toBe('{"sum":4}');
  });

  test("a program of one's own is asked as it is run", async () => {
    const { choices } = await client.chat.completions.create({
      model: "parrot",
      messages: [{ role: "system", content: "be brief" }, ...say("polly")],
    });

    expect(choices[0]!.message.content).toBe("polly!");
  });

  test("an agent that lives on takes one turn, and ends with it", async () => {
    const done = await client.chat.completions.create({ model: "steady", messages: say("x") });

    expect(done.choices[0]!.message.content).toBe("I stay: x");
    expect((await rig.ended(pidOf(done))).state).toBe("completed");
  });

  test("who hangs up has pressed Ctrl-C", async () => {
    const before = (await rig.runs())[0]!.pid;
    const leaving = new AbortController();
    const asking = client.chat.completions.create(
      { model: "clerk", messages: say("slow") },
      { signal: leaving.signal },
    );
    const started = await vi.waitUntil(
      async () => (await rig.runs()).find(({ pid, state }) => pid > before && state !== "pending"),
      { timeout: 120_000, interval: 50 },
    );

    leaving.abort();

    await expect(asking).rejects.toThrow();
    const { exitCode } = await rig.ended(started!.pid);
    expect(exitCode).toBe(130);
  });

  test("a key leads to the same run, also after the caller hung up", async () => {
    const key = { headers: { "idempotency-key": "k1" } };
    const asked = { model: "clerk", messages: say("slow to start") };
    const stream = await client.chat.completions.create({ ...asked, stream: true }, key);
    let pid = "";
    for await (const chunk of stream) {
      pid = pidOf(chunk);
      break;
    }

    const again = await client.chat.completions.create({ ...asked, stream: true }, key);
    const pids = new Set<string>();
    for await (const chunk of again) {
      pids.add(pidOf(chunk));
      if (chunk.choices[0]?.delta.content?.includes("five") === true) break;
    }
    const later = await vi.waitUntil(
      async () => {
        const { exitCode, budget } = await rig.run(pid);
        return (exitCode !== null || budget.spent.toolCalls > 0) && { exitCode };
      },
      { timeout: 120_000, interval: 50 },
    );
    const other = await failureOf(
      client.chat.completions.create({ ...asked, model: "poor", stream: true }, key),
    );

    expect([...pids]).toEqual([pid]);
    expect(later).toEqual({ exitCode: null });
    expect(other.message).toContain("was used for another request");
    await rig.home.aos("kill", pid);
  });

  test("who stops reading a stream has hung up too", async () => {
    const stream = await client.chat.completions.create({
      model: "clerk",
      messages: say("slow"),
      stream: true,
    });
    let pid = "";
    for await (const chunk of stream) {
      pid = pidOf(chunk);
      break;
    }

    expect((await rig.ended(pid)).exitCode).toBe(130);
  });
});

describe("what is refused", () => {
  test("401, 403 and 404 have the client's own errors, and the kernel's code", async () => {
    const nobody = await failureOf(rig.clientOf("aost_none").models.list());
    const viewer = rig.clientOf(await rig.token("--role", "viewer"));
    const role = await failureOf(
      viewer.chat.completions.create({ model: "clerk", messages: say("x") }),
    );
    const name = await failureOf(
      client.chat.completions.create({ model: "clrek", messages: say("x") }),
    );

    expect(nobody).toBeInstanceOf(AuthenticationError);
    expect(nobody).toMatchObject({ code: "EACCES", type: "authentication_error" });
    expect(role).toBeInstanceOf(PermissionDeniedError);
    expect(name).toBeInstanceOf(NotFoundError);
    expect(name).toMatchObject({ code: "ENOENT", param: "model" });
    expect(name.error).toMatchObject({ hint: "did you mean clerk?" });
  });

  test.each([
    ["n", { n: 2 }],
    ["stop", { stop: ["."] }],
    ["seed", { seed: 1 }],
    ["logprobs", { logprobs: true }],
    ["store", { store: true }],
    ["wings", { wings: 2 }],
    ["tools[0]", { tools: [{ type: "function", function: { name: "a b" } }] }],
    ["tool_choice", { tool_choice: "required" }],
    [
      "messages[0].content[0]",
      {
        messages: [
          { role: "user", content: [{ type: "image_url", image_url: { url: "http://x/y.png" } }] },
        ],
      },
    ],
  ])("%s: what cannot be had is said, by its name", async (param, more) => {
    const body = { model: "clerk", messages: say("x"), ...more } as never;

    const error = await failureOf(client.chat.completions.create(body));

    expect(error).toMatchObject({ status: 400, code: "EINVAL", param });
  });

  test("a result without its call, and a call without its result", async () => {
    const lone = { role: "tool", tool_call_id: "call_x", content: "sunny" } as const;
    const called = {
      role: "assistant",
      tool_calls: [{ id: "call_x", type: "function", function: { name: "a", arguments: "{}" } }],
    } as const;
    const ask = (messages: readonly object[]) =>
      client.chat.completions.create({ model: "clerk", messages: messages as never });

    const result = await failureOf(ask([...say("x"), lone]));
    const call = await failureOf(ask([...say("x"), called, ...say("y")]));

    expect(result.message).toContain("the result of call_x has no matching call");
    expect(call.message).toContain("the call call_x has no result");
  });

  test("a run that fails is an error with its code, whole and in a stream", async () => {
    const asked = { model: "poor", messages: say("x") };

    const error = await failureOf(client.chat.completions.create(asked));
    const inStream = await failureOf(client.chat.completions.stream(asked).finalContent());

    expect(error).toMatchObject({ status: 402, code: "EBUDGET", type: "insufficient_quota" });
    expect(inStream).toMatchObject({ code: "EBUDGET" });
  });

  test("a run that fails is not begun again by the client itself", async () => {
    const asked = { model: "mute", messages: say("x") };

    const error = await failureOf(client.chat.completions.create(asked));

    expect(error).toMatchObject({ status: 502, code: "EUPSTREAM" });
    expect((await rig.runs()).filter(({ agent }) => agent === "mute")).toHaveLength(1);
  });

  test("a budget of the request's own is held to", async () => {
    const body = { model: "clerk", messages: say("x"), aos: { budget: { tokens: 1 } } } as never;

    expect(await failureOf(client.chat.completions.create(body))).toMatchObject({
      code: "EBUDGET",
    });
  });

  test("tools and model settings are refused for a program of one's own", async () => {
    const asked = { model: "parrot", messages: say("x") };

    const tools = await failureOf(client.chat.completions.create({ ...asked, tools: [weather] }));
    const limit = await failureOf(client.chat.completions.create({ ...asked, max_tokens: 5 }));

    expect(tools).toMatchObject({ status: 400, code: "EINVAL" });
    expect(limit.message).toContain("parrot is a foreign program");
  });

  test("a tool that has the name of one of the agent's own", async () => {
    const tools = [{ ...weather, function: { name: "echo" } }];

    const error = await failureOf(
      client.chat.completions.create({ model: "clerk", messages: say("x"), tools }),
    );

    expect(error).toMatchObject({ status: 400, code: "EINVAL" });
    expect(error.message).toContain("a tool echo of its own");
  });

  test("a run of one tenant is not seen by another, by no id", async () => {
    const b = rig.clientOf(await rig.token("--role", "operator", "--tenant", "b"));
    const kept = await client.responses.create({ model: "clerk", input: "hello" });
    const own = await b.responses.create({ model: "clerk", input: "hello" });

    const seen = await failureOf(b.responses.retrieve(kept.id));
    const goneOn = await failureOf(
      b.responses.create({ model: "clerk", input: "x", previous_response_id: kept.id }),
    );

    expect((await rig.run(pidOf(own))).tenant).toBe("b");
    expect(seen).toBeInstanceOf(NotFoundError);
    expect(goneOn).toBeInstanceOf(NotFoundError);
  });
});
