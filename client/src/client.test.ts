import { SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import { createClient, type Client, type FetchLike } from "./index.ts";

interface Asked {
  url: string;
  method: string;
  body: unknown;
}

/** A far side that gives one answer to everything, in pieces, and remembers what it was asked. */
function answering(status: number, ...pieces: string[]): { client: Client; asked: Asked[] } {
  const asked: Asked[] = [];
  const bytes = new TextEncoder();
  const fetch: FetchLike = async (url, { method, body }) => {
    asked.push({ url, method, body: body === undefined ? undefined : JSON.parse(body) });
    return {
      status,
      text: async () => pieces.join(""),
      body: (async function* () {
        for (const piece of pieces) yield bytes.encode(piece);
      })(),
    };
  };
  return { client: createClient({ fetch, baseUrl: "http://far/" }), asked };
}

test("each argument travels where its row says: path, query or body", async () => {
  const { client, asked } = answering(200, "[]");

  await client.journal({ pid: "agt_1/2", after: 3 });
  await client.signal({ pid: "@last", signal: "SIGINT" });

  expect(asked).toEqual([
    {
      url: "http://far/api/v1/processes/agt_1%2F2/journal?after=3",
      method: "GET",
      body: undefined,
    },
    {
      url: "http://far/api/v1/processes/%40last/signals",
      method: "POST",
      body: { signal: "SIGINT" },
    },
  ]);
});

test("a failure is thrown with the kernel's own code, message and hint", async () => {
  const problem = { status: 404, code: "ENOENT", message: "no such process", hint: "aos ps" };
  const { client } = answering(404, JSON.stringify(problem));

  const failure = await client.show({ pid: "agt_x" }).catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(SysError);
  expect(failure).toMatchObject({ code: "ENOENT", message: "no such process", hint: "aos ps" });
});

test("an answer that is none of the daemon's is a failure too", async () => {
  const { client } = answering(502, "<html>bad gateway</html>");

  await expect(client.status()).rejects.toMatchObject({ code: "EINTERNAL" });
});

test("a stream gives each value once its line is whole, and throws the failure that ends it", async () => {
  const { client } = answering(
    200,
    '{"kind":"start","s',
    'eq":0}\n{"kind":"call","seq":1}\n',
    '{"error":{"code":"EINTR","message":"the daemon is stopping"}}\n',
  );

  const seen: number[] = [];
  const reading = (async () => {
    for await (const record of client.watch({ pid: "agt_x" })) seen.push(record.seq);
  })();

  await expect(reading).rejects.toMatchObject({ code: "EINTR" });
  expect(seen).toEqual([0, 1]);
});

test("long work tells how far it is, then its result; without an end it is a failure", async () => {
  const told: unknown[] = [];
  const onProgress = (progress: unknown) => void told.push(progress);
  const lines = ['{"progress":{"done":1,"total":2}}\n', '{"result":{"ok":true}}\n'];

  const report = await answering(200, ...lines).client.verify({}, { onProgress });
  const cut = answering(200, lines[0]!).client.verify({}, { onProgress });

  expect(report).toEqual({ ok: true });
  await expect(cut).rejects.toMatchObject({ code: "EINTR" });
  expect(told).toEqual([
    { done: 1, total: 2 },
    { done: 1, total: 2 },
  ]);
});
