// Qdrant: what a collection is asked, by its HTTP API (points/scroll, points/ID, points/query).

import type { Json } from "@aos/protocol";
import {
  fieldOf,
  listAt,
  type AskStore,
  type VectorDeclaration,
  type VectorPoint,
  type VectorStore,
} from "./vector-mount.ts";

type QdrantDeclaration = Extract<VectorDeclaration, { driver: "qdrant" }>;

export function qdrant({ collection, text }: QdrantDeclaration): VectorStore {
  const at = `/collections/${encodeURIComponent(collection)}/points`;
  const pointOf = (said: Json): VectorPoint => {
    const payload = fieldOf(said, "payload") ?? null;
    const score = fieldOf(said, "score");
    return {
      id: fieldOf(said, "id") ?? null,
      text: fieldOf(payload, text) ?? null,
      data: payload,
      ...(typeof score === "number" ? { score } : {}),
    };
  };
  return {
    async list(ask, { cursor, limit }) {
      const answer = await ask("post", `${at}/scroll`, {
        limit,
        with_payload: false,
        with_vector: false,
        ...(cursor === "" ? {} : { offset: idOf(cursor) }),
      });
      const result = fieldOf(answer, "result");
      const next = fieldOf(result, "next_page_offset") ?? null;
      return {
        ids: listAt(result, "points").map((point) => fieldOf(point, "id") ?? null),
        next: typeof next === "string" || typeof next === "number" ? String(next) : null,
      };
    },
    async read(ask: AskStore, id) {
      const answer = await ask("get", `${at}/${encodeURIComponent(id)}`);
      const result = fieldOf(answer, "result") ?? null;
      return result === null ? undefined : pointOf(result);
    },
    async search(ask, vector, limit) {
      const answer = await ask("post", `${at}/query`, {
        query: [...vector],
        limit,
        with_payload: true,
      });
      return listAt(answer, "result", "points").map(pointOf);
    },
  };
}

/** An id is a number or a UUID. */
const idOf = (text: string): Json => (/^\d{1,15}$/.test(text) ? Number(text) : text);
