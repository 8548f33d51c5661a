// Vector mount: a collection of a vector store (Qdrant, Chroma) below /mnt/NAME, read-only.
//
//   list("/mnt/facts")                    the ids of the points, by page
//   read("/mnt/facts/ID")                 what is stored with one: { id, text, data }
//   search("/mnt/facts", "dark colours")  the nearest by meaning, with the configured embeddings
//
// VECTOR-MOUNT-1  Only the vector of what is asked for leaves the machine, and only where the embeddings may; the
//     collection has to have been filled by the same model: vectors of another length are refused by the server.
// VECTOR-MOUNT-2  Ids, texts and pages of the server are not believed to be paths: an id that cannot be one segment is
//     left out, and answers have limits.
// VECTOR-MOUNT-3  The key is a secret that is sent to the declared origin only; there are no redirects.

import {
  SysError,
  type Connector,
  type DeviceContext,
  type EmbeddingDriver,
  type Json,
  type MountRequest,
  type Touch,
} from "@aos/protocol";
import type { Egress } from "../web/egress.ts";
import { readUrl, touchOf } from "../web/url.ts";
import { chroma } from "./chroma-store.ts";
import {
  connector,
  isPlainName,
  MOST_BYTES,
  MOST_ENTRIES,
  noFile,
  USUAL_TIMEOUT_MS,
  type DeclaredMount,
} from "./connector.ts";
import { qdrant } from "./qdrant-store.ts";

export type VectorDeclaration = Extract<
  DeclaredMount["declaration"],
  { driver: "qdrant" | "chroma" }
>;

export interface VectorRow {
  readonly id: Json;
  readonly text: Json;
  readonly data: Json;
  /** From 0 to 1 where it was searched for. */
  readonly score?: number;
}

/** One request: JSON of the answer; undefined for 404. */
export type AskStore = (
  method: "get" | "post",
  path: string,
  body?: Json,
) => Promise<Json | undefined>;

/** What each store is asked, in its own words. */
export interface VectorStore {
  list(
    ask: AskStore,
    page: { cursor: string; limit: number },
  ): Promise<{ ids: Json[]; next: string | null }>;
  read(ask: AskStore, id: string): Promise<VectorRow | undefined>;
  search(ask: AskStore, vector: readonly number[], limit: number): Promise<VectorRow[]>;
}

export const USUAL_HITS = 10;
export const MOST_HITS = 100;

export function vectorMount(
  declared: DeclaredMount<VectorDeclaration>,
  egress: Egress,
  embeddings: EmbeddingDriver | undefined,
): Connector {
  const { declaration } = declared;
  const { url, collection, key, timeout } = declaration;
  const base = readUrl(url);
  const store = declaration.driver === "qdrant" ? qdrant(declaration) : chroma(declaration);
  const header = declaration.driver === "qdrant" ? "api-key" : "x-chroma-token";
  const secrets: Touch[] =
    key === undefined ? [] : [{ kind: "secret", resource: key, verb: "use" }];
  const asking =
    (context: DeviceContext): AskStore =>
    async (method, path, body) => {
      const reply = await egress.send(
        {
          method,
          target: readUrl(`${url.replace(/\/+$/, "")}${path}`),
          headers: {
            accept: "application/json",
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...(key === undefined ? {} : { [header]: `{{secret:${key}}}` }),
          },
          ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
          limit: MOST_BYTES,
          timeoutMs: timeout ?? USUAL_TIMEOUT_MS,
          maxRedirects: 0, // VECTOR-MOUNT-3
        },
        context,
      );
      if (reply.status === 404) return undefined;
      if (reply.status < 200 || reply.status > 299)
        throw new SysError(
          "EUPSTREAM",
          `the server answered ${reply.status}${saidIn(reply.bytes)}`,
        );
      if (reply.cut)
        throw new SysError("EUPSTREAM", `the answer has more than ${MOST_BYTES} bytes`);
      try {
        return JSON.parse(reply.bytes.toString("utf8")) as Json;
      } catch {
        throw new SysError("EUPSTREAM", "the answer is not JSON");
      }
    };
  const touched = readUrl(`${url.replace(/\/+$/, "")}/`);
  return connector(declared, {
    target: `${url} ${collection}`,
    egress: true,
    covers: ({ kind, resource }) =>
      kind === "http" &&
      resource.startsWith(`${base.host}:${base.port}${base.path.replace(/\/+$/, "")}/`),
    needs: () => [touchOf(touched, "get"), touchOf(touched, "post"), ...secrets],
    async list({ path, cursor = "", limit }, context) {
      if (path !== "") throw noFile(path);
      const most = Math.min(limit ?? MOST_ENTRIES, MOST_ENTRIES);
      const { ids, next } = await store.list(asking(context), { cursor, limit: most });
      return { paths: ids.slice(0, most).flatMap(nameOf), next };
    },
    async read({ path }, context) {
      if (path === "") throw new SysError("EINVAL", "it is a folder: list it, or search it");
      if (!isPlainName(path)) throw noFile(path);
      const point = await store.read(asking(context), path);
      if (point === undefined) throw noFile(path);
      return { id: point.id, text: point.text, data: point.data };
    },
    async search(request, context) {
      const vector = await queryVector(request, context, embeddings);
      const limit = Math.min(request.limit ?? USUAL_HITS, MOST_HITS);
      const points = await store.search(asking(context), vector, limit);
      const found = points.slice(0, limit).flatMap(({ score = 0, ...point }) => {
        const [path] = nameOf(point.id);
        return path === undefined ? [] : [{ path, data: point as unknown as Json, score }];
      });
      return { found, next: null };
    },
  });
}

/** VECTOR-MOUNT-1. */
export async function queryVector(
  { query = "", path }: MountRequest,
  { signal }: DeviceContext,
  embeddings: EmbeddingDriver | undefined,
): Promise<number[]> {
  if (path !== "") throw noFile(path);
  if (embeddings === undefined)
    throw new SysError("EINVAL", "this kernel has no embeddings to search with");
  const [vector] = await embeddings.embed([query]);
  signal.throwIfAborted();
  return Array.from(vector!);
}

/** VECTOR-MOUNT-2. */
function nameOf(id: Json): string[] {
  const name = typeof id === "number" ? String(id) : id;
  return typeof name === "string" && isPlainName(name) ? [name] : [];
}

/** The beginning of what it says, in one line. */
function saidIn(bytes: Buffer): string {
  const text = bytes.toString("utf8", 0, 200).replaceAll(/\s+/g, " ").trim();
  return text === "" ? "" : `: ${text}`;
}

export function answerList(value: Json | undefined, ...names: readonly string[]): Json[] {
  let at: Json | undefined = value;
  for (const name of names) at = answerField(at, name);
  if (Array.isArray(at)) return at;
  throw new SysError("EUPSTREAM", `the answer has no list at ${names.join(".")}`);
}

export const answerField = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, Json>)[name]
    : undefined;
