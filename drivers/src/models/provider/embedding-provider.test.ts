import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createProviderEmbeddings } from "./embedding-provider.ts";

interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

async function serve(answer: unknown, { status = 200, location = "" } = {}) {
  const seen: Seen[] = [];
  const answerOne = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8")) as unknown;
    seen.push({ url: request.url!, headers: request.headers, body });
    response.writeHead(status, {
      "content-type": "application/json",
      ...(location === "" ? {} : { location }),
    });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  };
  const server = createServer((request, response) => void answerOne(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { seen, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const context = () => {
  const used: number[] = [];
  const places: unknown[] = [];
  return {
    used,
    places,
    context: {
      providerKey: (name: string, place: unknown) => {
        places.push([name, place]);
        return "key-0123456789";
      },
      used: (tokens: number) => void used.push(tokens),
    },
  };
};

test("OpenAI's form: vectors in the order of the texts, the key in its header, the tokens that were counted", async () => {
  const { seen, origin } = await serve({
    data: [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ],
    usage: { total_tokens: 7 },
  });
  const asked = context();
  const driver = createProviderEmbeddings({
    name: "lab",
    type: "openai-compatible",
    model: "small",
    baseUrl: `${origin}/v1/`,
    keySecret: "LAB_API_KEY",
    dimensions: 2,
  });

  expect(await driver.embed(["a", "b"], asked.context)).toEqual([
    [1, 0],
    [0, 1],
  ]);

  expect(driver.model).toBe("lab/small@2");
  expect(driver.egress).toBe(false);
  expect(seen).toMatchObject([
    {
      url: "/v1/embeddings",
      headers: { authorization: "Bearer key-0123456789" },
      body: { model: "small", input: ["a", "b"], dimensions: 2, encoding_format: "float" },
    },
  ]);
  expect(asked.places).toEqual([
    ["LAB_API_KEY", { kind: "header", origin, header: "authorization" }],
  ]);
  expect(asked.used).toEqual([7]);
});

test("Google's form", async () => {
  const { seen, origin } = await serve({ embeddings: [{ values: [1, 0] }, { values: [0, 1] }] });
  const driver = createProviderEmbeddings({
    name: "google",
    type: "google",
    model: "gemini-embedding-001",
    baseUrl: `${origin}/v1beta`,
    keySecret: "GOOGLE_API_KEY",
    dimensions: 2,
  });

  expect(await driver.embed(["a", "b"], context().context)).toEqual([
    [1, 0],
    [0, 1],
  ]);

  expect(seen).toMatchObject([
    {
      url: "/v1beta/models/gemini-embedding-001:batchEmbedContents",
      headers: { "x-goog-api-key": "key-0123456789" },
      body: {
        requests: [
          {
            model: "models/gemini-embedding-001",
            content: { parts: [{ text: "a" }] },
            outputDimensionality: 2,
          },
          { content: { parts: [{ text: "b" }] } },
        ],
      },
    },
  ]);
});

test("Ollama's form, without a key", async () => {
  const { seen, origin } = await serve({ embeddings: [[1, 0]], prompt_eval_count: 3 });
  const asked = context();
  const driver = createProviderEmbeddings({
    name: "ollama",
    type: "ollama",
    model: "nomic-embed-text",
    baseUrl: `${origin}/api`,
  });

  expect(await driver.embed(["a"], asked.context)).toEqual([[1, 0]]);

  expect(seen).toMatchObject([
    { url: "/api/embed", body: { model: "nomic-embed-text", input: ["a"] } },
  ]);
  expect(seen[0]!.headers.authorization).toBeUndefined();
  expect(asked.places).toEqual([]);
  expect(asked.used).toEqual([3]);
});

test.each<[string, unknown, object]>([
  ["too few vectors", { data: [{ index: 0, embedding: [1] }] }, { code: "EUPSTREAM" }],
  [
    "vectors of different lengths",
    { data: [{ embedding: [1] }, { index: 1, embedding: [1, 2] }] },
    { code: "EUPSTREAM" },
  ],
  [
    "a value that is no number",
    { data: [{ embedding: [1] }, { index: 1, embedding: ["1"] }] },
    { code: "EUPSTREAM" },
  ],
  ["no JSON", "<html>", { code: "EUPSTREAM" }],
])("EMBEDDING-PROVIDER-2: %s is a failure", async (_what, answer, failure) => {
  const { origin } = await serve(answer);
  const driver = createProviderEmbeddings({
    name: "lab",
    type: "openai-compatible",
    model: "small",
    baseUrl: origin,
  });

  await expect(driver.embed(["a", "b"], context().context)).rejects.toMatchObject(failure);
});

test.each([
  [429, "ERATE"],
  [401, "EUPSTREAM"],
  [500, "EUPSTREAM"],
])(
  "EMBEDDING-PROVIDER-3: status %d is %s, and the failure has neither key nor text",
  async (status, code) => {
    const { origin } = await serve(
      { error: { message: "key-0123456789 and the diary" } },
      { status },
    );
    const driver = createProviderEmbeddings({
      name: "lab",
      type: "openai-compatible",
      model: "small",
      baseUrl: origin,
      keySecret: "LAB_API_KEY",
    });

    const failure = await driver
      .embed(["the diary"], context().context)
      .catch((error: unknown) => error);

    expect(failure).toMatchObject({ code });
    expect(JSON.stringify(failure) + (failure as Error).message).not.toMatch(
      /key-0123456789|diary/,
    );
  },
);

test("EMBEDDING-PROVIDER-1: a redirect is not followed", async () => {
  const other = await serve({});
  const { origin } = await serve({}, { status: 307, location: other.origin });
  const driver = createProviderEmbeddings({
    name: "lab",
    type: "openai-compatible",
    model: "small",
    baseUrl: origin,
    keySecret: "LAB_API_KEY",
  });

  await expect(driver.embed(["a"], context().context)).rejects.toThrow("redirects");
  expect(other.seen).toEqual([]);
});

test("a server that is silent is a failure that says so", async () => {
  const driver = createProviderEmbeddings({
    name: "lab",
    type: "openai-compatible",
    model: "small",
    baseUrl: "http://127.0.0.1:1/v1",
    timeoutMs: 20,
    fetch: (_url, init) =>
      new Promise((_resolve, reject) => {
        init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason as Error));
      }),
  });

  await expect(driver.embed(["a"], context().context)).rejects.toMatchObject({ code: "ETIMEDOUT" });
});

test("a vendor without embeddings is refused", () => {
  expect(() =>
    createProviderEmbeddings({ name: "anthropic", type: "anthropic", model: "x" }),
  ).toThrow("has no embeddings");
});
