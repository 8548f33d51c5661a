// Responses, by the official client: whole, streamed, kept, gone on from, in the background.

import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openOpenAiRig, type OpenAiRig, pidOf } from "./openai-rig.ts";

type Tool = OpenAI.Responses.Tool;
type Event = OpenAI.Responses.ResponseStreamEvent;

let rig: OpenAiRig;
let client: OpenAI;
beforeAll(async () => {
  rig = await openOpenAiRig();
  ({ client } = rig);
});
afterAll(() => rig.close());

const weather: Tool = {
  type: "function",
  name: "get_weather",
  strict: false,
  parameters: { type: "object", properties: { city: { type: "string" } } },
};

test("a response is an answer, and is told again by its id", async () => {
  const asked = {
    model: "clerk",
    input: "hello",
    metadata: { ticket: "7" },
    instructions: "short",
  };

  const given = await client.responses.create(asked);
  const kept = await client.responses.retrieve(given.id);

  expect(given).toMatchObject({ status: "completed", model: "clerk", metadata: { ticket: "7" } });
  expect(given.output_text).toBe("You said hello");
  expect(given.usage).toMatchObject({ cost_usd: 0 });
  expect(kept).toEqual(given);
});

test("what is not to be stored is not told again, and cannot be gone on from", async () => {
  const { id } = await client.responses.create({ model: "clerk", input: "hello", store: false });

  const gone = { status: 404, code: "ENOENT" };
  await expect(client.responses.retrieve(id)).rejects.toMatchObject(gone);
  await expect(
    client.responses.create({ model: "clerk", input: "x", previous_response_id: id }),
  ).rejects.toMatchObject(gone);
});

test("the events of a stream come in their order, and end with the whole response", async () => {
  const events: Event[] = [];
  const stream = client.responses.stream({
    model: "clerk",
    input: "the weather?",
    tools: [weather],
  });
  stream.on("event", (event) => void events.push(event));

  const final = await stream.finalResponse();

  const message = [
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
  ];
  const call = [
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
  ];
  const types = events.map(({ type }) => type.replace("response.", ""));
  const withoutMoreWords = types.filter(
    (type, n) => type !== "output_text.delta" || types[n - 1] !== type,
  );
  expect(withoutMoreWords).toEqual(["created", "in_progress", ...message, ...call, "completed"]);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, n) => n));
  const { output, usage } = await client.responses.retrieve(final.id);
  expect(final.output).toMatchObject(output);
  expect(final.output_text).toBe("I note that.\n\nI look it up.");
  expect(final.usage).toEqual(usage);
});

describe("a conversation goes on", () => {
  test("from a response, with what its calls came to", async () => {
    const first = await client.responses.create({
      model: "clerk",
      input: "the weather?",
      tools: [weather],
    });
    const call = first.output.find(({ type }) => type === "function_call");
    const { call_id, name } = call as OpenAI.Responses.ResponseFunctionToolCall;

    const second = await client.responses.create({
      model: "clerk",
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id, output: "sunny" }],
      tools: [weather],
    });
    const third = await client.responses.create({
      model: "clerk",
      previous_response_id: second.id,
      input: "thanks",
    });

    expect(name).toBe("get_weather");
    expect(second.output_text).toBe("After three steps: sunny");
    expect(third.output_text).toBe("You said thanks");
    expect((await rig.run(pidOf(third))).labels.integrity).toBe("untrusted");
  });

  test("from items alone, as a client that keeps them itself sends them", async () => {
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "the weather?" }];
    const asked = { model: "clerk", tools: [weather], store: false };
    const first = await client.responses.create({ ...asked, input });
    const call = first.output.find(({ type }) => type === "function_call");
    const { call_id } = call as OpenAI.Responses.ResponseFunctionToolCall;

    const second = await client.responses.create({
      ...asked,
      input: [
        ...input,
        ...(first.output as OpenAI.Responses.ResponseInputItem[]),
        { type: "function_call_output", call_id, output: "sunny" },
      ],
    });

    expect(second.output_text).toBe("After three steps: sunny");
  });

  test("with free-form tools and tools in a namespace; those of the vendor are left out", async () => {
    const tools = [
      { type: "custom", name: "apply_patch", description: "…" },
      {
        type: "namespace",
        name: "crew",
        description: "…",
        tools: [{ type: "function", name: "hire" }],
      },
      { type: "web_search" },
    ] as unknown as Tool[];

    const patch = await client.responses.create({ model: "clerk", input: "a patch", tools });
    const hire = await client.responses.create({ model: "clerk", input: "a sub-agent", tools });

    expect(patch.output).toMatchObject([
      { type: "custom_tool_call", name: "apply_patch", input: "*** Begin" },
    ]);
    expect(hire.output).toMatchObject([
      { type: "function_call", name: "hire", namespace: "crew", arguments: '{"who":"Ann"}' },
    ]);
    expect(patch.tools.map(({ type }) => type as string)).toEqual(["custom", "function"]);
    await expect(
      client.responses.create({
        model: "clerk",
        input: "x",
        tools,
        tool_choice: { type: "web_search_preview" },
      }),
    ).rejects.toMatchObject({ status: 400, param: "tool_choice" });
  });
});

test("in the background nobody waits: it is looked for, and cancelled", async () => {
  const begun = await client.responses.create({ model: "clerk", input: "slow", background: true });

  const running = await vi.waitUntil(
    async () => {
      const { status } = await client.responses.retrieve(begun.id);
      return status === "in_progress" && status;
    },
    { timeout: 120_000, interval: 50 },
  );
  const viewer = rig.clientOf(await rig.token("--role", "viewer"));
  await expect(viewer.responses.cancel(begun.id)).rejects.toMatchObject({ status: 403 });
  const cancelled = await client.responses.cancel(begun.id);

  expect(begun.status).toBe("queued");
  expect(running).toBe("in_progress");
  expect(cancelled).toMatchObject({ id: begun.id, status: "cancelled" });
  expect((await rig.run(pidOf(begun))).state).not.toBe("running");
});

test("max_output_tokens and a form are held to; a failure is one that clients know", async () => {
  const cut = await client.responses.create({
    model: "clerk",
    input: "a long story",
    max_output_tokens: 5,
  });
  const events: Event[] = [];
  const poor = await client.responses.create({ model: "poor", input: "x", stream: true });
  for await (const event of poor) events.push(event);

  expect(cut).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output_text: "Once upon a time the",
  });
  const last = events.at(-1) as OpenAI.Responses.ResponseFailedEvent;
  expect(last.type).toBe("response.failed");
  expect(last.response.error).toMatchObject({
    code: "insufficient_quota",
    message: expect.stringContaining("EBUDGET"),
  });
});

test("max_tool_calls is a budget of the run", async () => {
  const given = await client.responses.create({ model: "clerk", input: "x", max_tool_calls: 3 });

  expect((await rig.run(pidOf(given))).budget.limit).toEqual({ toolCalls: 3 });
});

test.each([
  ["conversation", { conversation: "conv_1" }],
  ["prompt", { prompt: { id: "p" } }],
  ["top_p", { top_p: 0.5 }],
  ["background", { background: true, store: false }],
  ["input[0]", { input: [{ type: "item_reference", id: "msg_1" }] }],
  ["input[0].content[0]", { input: [{ role: "user", content: [{ type: "input_audio" }] }] }],
  ["wings", { wings: 2 }],
])("%s: what cannot be had is said, by its name", async (param, more) => {
  const body = { model: "clerk", input: "x", ...more } as never;

  await expect(client.responses.create(body)).rejects.toMatchObject({
    status: 400,
    code: "EINVAL",
    param,
  });
});
