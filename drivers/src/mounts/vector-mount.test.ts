// Mounts of vector stores, against local servers that speak the documented APIs of Qdrant and Chroma: what is asked,
// how the answers are read, and servers that lie.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { EmbeddingDriver, Json, MountDeclaration, MountRequest } from "@aos/protocol";
import { describe, expect, onTestFinished, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { webForTest, type WebForTest } from "../../../tests/helpers/drivers/web.ts";
import { createEgress } from "../web/egress.ts";
import { vectorMount, type VectorDeclaration } from "./vector-mount.ts";

const embeddings: EmbeddingDriver = {
  model: "length",
  egress: false,
  embed: async (texts) => texts.map((text) => [text.length, 1]),
};

interface Asked {
  readonly line: string;
  readonly body: Json;
  readonly key: unknown;
}

async function setUp(
  declaration: VectorDeclaration,
  answer: (line: string, body: Json) => Json | undefined,
  declaredBy: "config.yaml" | "manifest" = "config.yaml",
) {
  const asked: Asked[] = [];
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const written = web.seen.at(-1)!.body;
    const body = written === "" ? null : (JSON.parse(written) as Json);
    const line = `${request.method} ${request.url}`;
    asked.push({
      line,
      body,
      key: request.headers["api-key"] ?? request.headers["x-chroma-token"],
    });
    const said = answer(line, body);
    response.writeHead(said === undefined ? 404 : 200).end(JSON.stringify(said ?? null));
  };
  const web: WebForTest = await webForTest({ "vectors.example": serve });
  onTestFinished(() => web[Symbol.asyncDispose]());
  const egress = createEgress(web.options);
  const mount = vectorMount({ name: "facts", declaration, declaredBy }, egress, embeddings);
  const context = () =>
    deviceContextForTest({
      grants: ({ kind }) => kind === "secret",
      secrets: () => "the key",
    });
  const ask = (call: MountRequest["call"], path: string, more: Partial<MountRequest> = {}) =>
    mount[call]!({ call, path, ...more }, context());
  return { mount, ask, asked, context };
}

const common = { url: "http://vectors.example", collection: "facts", key: "VECTORS_KEY" };
type Of<Driver> = Extract<MountDeclaration, { driver: Driver }>;
const qdrantText: Of<"qdrant"> = { driver: "qdrant", ...common, text: "body" };
const chromaText: Of<"chroma"> = {
  driver: "chroma",
  ...common,
  tenant: "default_tenant",
  database: "default_database",
};

describe("Qdrant", () => {
  const points = "/collections/facts/points";
  const store = (line: string, body: Json): Json | undefined => {
    const { offset } = (body ?? {}) as { offset?: Json };
    const payload = { body: "cars need fuel", year: 2026 };
    if (line === `POST ${points}/scroll`)
      return {
        result:
          offset === undefined
            ? { points: [{ id: 1 }, { id: "../x" }, { id: "a/b" }], next_page_offset: 7 }
            : { points: [{ id: 7 }], next_page_offset: null },
      };
    if (line === `GET ${points}/1`) return { result: { id: 1, payload, vector: null } };
    if (line === `POST ${points}/query`)
      return {
        result: {
          points: [
            { id: 1, score: 0.8, payload },
            { id: "..", score: 1 },
          ],
        },
      };
    return undefined;
  };

  test("is listed by pages, read and searched by meaning, with its key", async () => {
    const { ask, asked } = await setUp(qdrantText, store);

    expect(await ask("list", "")).toEqual({ paths: ["1"], next: "7" });
    expect(await ask("list", "", { cursor: "7" })).toEqual({ paths: ["7"], next: null });
    const point = { id: 1, text: "cars need fuel", data: { body: "cars need fuel", year: 2026 } };
    expect(await ask("read", "1")).toEqual(point);
    expect(await ask("search", "", { query: "petrol", limit: 5 })).toEqual({
      found: [{ path: "1", data: point, score: 0.8 }],
      next: null,
    });

    const query = { query: [6, 1], limit: 5, with_payload: true };
    expect(asked.at(-1)).toEqual({ line: `POST ${points}/query`, body: query, key: "the key" });
    expect(asked[1]!.body).toMatchObject({ offset: 7 });
  });

  test("a path cannot leave the collection, and what is not there is ENOENT", async () => {
    const { ask, asked } = await setUp(qdrantText, store);

    await expect(ask("read", "../../other")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(ask("list", "deeper")).rejects.toMatchObject({ code: "ENOENT" });
    expect(asked).toEqual([]);
  });
});

describe("Chroma", () => {
  const all = "/api/v2/tenants/default_tenant/databases/default_database/collections";
  const store = (line: string, body: Json): Json | undefined => {
    const { ids, offset, query_embeddings } = (body ?? {}) as Record<string, Json>;
    if (line === `GET ${all}/facts`) return { id: "c-1", name: "facts" };
    if (line === `POST ${all}/c-1/query`) {
      if (JSON.stringify(query_embeddings) !== "[[6,1]]") return undefined;
      return {
        ids: [["a", ".."]],
        documents: [["cars need fuel", "x"]],
        metadatas: [[{ year: 2026 }, null]],
        distances: [[1, 0]],
      };
    }
    if (line !== `POST ${all}/c-1/get`) return undefined;
    if (ids === undefined) return { ids: offset === 0 ? ["a", "b"] : ["b"] };
    if ((ids as Json[])[0] !== "a") return { ids: [], documents: [], metadatas: [] };
    return { ids: ["a"], documents: ["cars need fuel"], metadatas: [{ year: 2026 }] };
  };

  test("is listed by pages, read and searched by meaning, with its key", async () => {
    const { ask, asked } = await setUp(chromaText, store);

    expect(await ask("list", "", { limit: 1 })).toEqual({ paths: ["a"], next: "1" });
    expect(await ask("list", "", { limit: 1, cursor: "1" })).toEqual({ paths: ["b"], next: null });
    const point = { id: "a", text: "cars need fuel", data: { year: 2026 } };
    expect(await ask("read", "a")).toEqual(point);
    expect(await ask("search", "", { query: "petrol" })).toEqual({
      found: [{ path: "a", data: point, score: 0.5 }],
      next: null,
    });
    expect(new Set(asked.map(({ key }) => key))).toEqual(new Set(["the key"]));
  });

  test("what is not there is ENOENT, a collection that is not there EUPSTREAM", async () => {
    const { ask } = await setUp(chromaText, store);
    const { ask: other } = await setUp({ ...chromaText, collection: "none" }, store);

    await expect(ask("read", "zz")).rejects.toMatchObject({ code: "ENOENT" });
    await expect(ask("list", "", { cursor: "x" })).rejects.toMatchObject({ code: "EINVAL" });
    await expect(other("list", "")).rejects.toMatchObject({ code: "EUPSTREAM" });
  });
});

describe("VECTOR-MOUNT-2: a store that lies", () => {
  test.each<[string, Json]>([
    ["no list", { result: { points: "many" } }],
    ["nothing", null],
    ["too much", { result: { points: [{ id: "x".repeat(8_400_000) }] } }],
  ])("with %s is EUPSTREAM", async (_what, said) => {
    const { ask } = await setUp(qdrantText, () => said);

    await expect(ask("list", "")).rejects.toMatchObject({ code: "EUPSTREAM" });
  });

  test("gives no more than was asked for", async () => {
    const many = Array.from({ length: 500 }, (_, id) => ({ id, score: 1, payload: {} }));
    const { ask } = await setUp(qdrantText, () => ({ result: { points: many } }));

    const { found } = (await ask("search", "", { query: "x", limit: 3 })) as { found: Json[] };

    expect(found).toHaveLength(3);
    expect(((await ask("list", "", { limit: 2 })) as { paths: Json[] }).paths).toHaveLength(2);
  });
});

test("a mount of a manifest needs the rights to the server; the key is always needed", async () => {
  const right = (verb: string) => ({ kind: "http", resource: "vectors.example:80/", verb });
  const key = { kind: "secret", resource: "VECTORS_KEY", verb: "use" };
  const request = { call: "read", path: "1" } as const;
  const ofManifest = await setUp(qdrantText, () => undefined, "manifest");
  const ofConfig = await setUp(qdrantText, () => undefined);

  expect(ofManifest.mount.touches(request)).toEqual([right("get"), right("post"), key]);
  expect(ofConfig.mount.touches(request)).toEqual([key]);
});
