// A server that speaks the wire of OpenAI's chat completions, for tests: it says what it is told to say,
// one answer after another, and remembers what it was asked.
//
//   const server = await startOpenAiServer([{ text: "hello" }, { calls: [{ name: "echo", args: {} }] }]);
//   server.asked[0].headers.authorization

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

export interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: unknown }[];
  /** In place of an answer. */
  readonly status?: number;
}

export interface Asked {
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
  };
}

export interface OpenAiServer {
  /** With `/v1`. */
  readonly url: string;
  readonly asked: Asked[];
  close(): Promise<void>;
}

/** When it has said everything it says the last again. `key`: others are refused. */
export async function startOpenAiServer(
  answers: readonly Said[],
  { key }: { key?: string } = {},
): Promise<OpenAiServer> {
  const asked: Asked[] = [];
  const answerOne = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const fail = (status: number, message: string) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message, type: "error", code: null } }));
    if (request.url !== "/v1/chat/completions") return fail(404, `no ${request.url}`);
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return fail(401, "this key is not known");
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? {};
    asked.push({
      headers: request.headers,
      body: JSON.parse(Buffer.concat(pieces).toString("utf8")) as Asked["body"],
    });
    if (answer.status !== undefined) return fail(answer.status, "it was told to fail");
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of chunksOf(answer, asked.length))
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    return response.end("data: [DONE]\n\n");
  };
  const server = createServer((request, response) => void answerOne(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function chunksOf({ text = "", calls = [] }: Said, nth: number): object[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    id: `answer-${nth}`,
    object: "chat.completion.chunk",
    created: 1,
    model: "fake",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const half = Math.ceil(text.length / 2);
  return [
    chunk({ role: "assistant", content: text.slice(0, half) }),
    ...(text.length > half ? [chunk({ content: text.slice(half) })] : []),
    ...calls.map(({ name, args }, index) =>
      chunk({
        tool_calls: [
          {
            index,
            id: `vendor_${nth}_${index}`,
            type: "function",
            function: { name, arguments: JSON.stringify(args) },
          },
        ],
      }),
    ),
    chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
    {
      ...chunk({}),
      choices: [],
      usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 },
    },
  ];
}
