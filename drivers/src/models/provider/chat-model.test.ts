import { expect, test } from "vitest";
import { ChatModel } from "./chat-model.ts";
import { toolNames } from "./tool-names.ts";
import { vendors } from "./vendors.ts";

const request = { model: "p/m", messages: [] };

async function asked(response: Response) {
  const sent: [unknown, RequestInit | undefined][] = [];
  const means = {
    name: "p",
    baseURL: "https://models.example/v1",
    headers: { "x-team": "us" },
    structured: true,
  };
  const asking = new ChatModel(means, vendors["openai-compatible"]).ask({
    fitting: { request, model: "m", maxTokens: 1, window: null, provider: "p" },
    names: toolNames(request),
    signal: new AbortController().signal,
    fetch: async (url, init) => (sent.push([url, init]), response),
    take: () => {},
  });
  const failure = await asking.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { sent, failure };
}

test("one request goes to the place for chats, with the headers that are configured", async () => {
  const { sent, failure } = await asked(new Response("data: [DONE]\n\n"));

  expect(failure).toBeUndefined();
  expect(sent).toEqual([
    [
      "https://models.example/v1/chat/completions",
      expect.objectContaining({
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": "aos", "x-team": "us" },
      }),
    ],
  ]);
});

test.each([
  ["in the server's words", '{"error":{"message":"slow down"}}', "slow down"],
  ["by its status, where it has none", "<html>", "Too Many"],
  ["by its status, where its words are none", '{"error":{"message":1}}', "Too Many"],
])("CHAT-MODEL-2: a refusal is told %s", async (_, body, message) => {
  const { failure } = await asked(new Response(body, { status: 429, statusText: "Too Many" }));

  expect(failure).toMatchObject({ message, statusCode: 429, responseBody: body });
});

test("CHAT-MODEL-2: a refusal without end is not read to it", async () => {
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(100_000).fill(120)),
    cancel: () => void (cancelled = true),
  });

  const { failure } = await asked(new Response(endless, { status: 500 }));

  expect(failure).toMatchObject({ statusCode: 500, message: "status 500" });
  expect((failure as { responseBody: string }).responseBody.length).toBeLessThan(2_000_000);
  expect(cancelled).toBe(true);
});

test("CHAT-MODEL-2: a refusal that breaks off is what has come of it", async () => {
  let at = 0;
  const broken = new ReadableStream({
    pull: (controller) =>
      at++ === 0
        ? controller.enqueue(new TextEncoder().encode("half"))
        : controller.error(new Error("gone")),
  });

  const { failure } = await asked(new Response(broken, { status: 503, statusText: "Away" }));

  expect(failure).toMatchObject({ statusCode: 503, message: "Away", responseBody: "half" });
});
