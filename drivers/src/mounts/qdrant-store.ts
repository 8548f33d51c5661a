// Qdrant: what a collection is asked, by its HTTP API (points/scroll, points/ID, points/query).

import type { Json } from "@aos/protocol";
import {
  answerField,
  answerList,
  type AskStore,
  type VectorDeclaration,
  type VectorRow,
  type VectorStore,
} from "./vector-mount.ts";

type QdrantDeclaration = Extract<VectorDeclaration, { driver: "qdrant" }>;

export function qdrant({ collection, text }: QdrantDeclaration): VectorStore {
  const at = `/collections/${encodeURIComponent(collection)}/points`;
  const rowOf = (said: Json): VectorRow => {
    const payload = answerField(said, "payload") ?? null;
    const score = answerField(said, "score");
    return {
      id: answerField(said, "id") ?? null,
      text: answerField(payload, text) ?? null,
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
      const result = answerField(answer, "result");
      const next = answerField(result, "next_page_offset") ?? null;
      return {
        ids: answerList(result, "points").map((point) => answerField(point, "id") ?? null),
        next: typeof next === "string" || typeof next === "number" ? String(next) : null,
      };
    },
    async read(ask: AskStore, id) {
      const answer = await ask("get", `${at}/${encodeURIComponent(id)}`);
      const result = answerField(answer, "result") ?? null;
      return result === null ? undefined : rowOf(result);
    },
    async search(ask, vector, limit) {
      const answer = await ask("post", `${at}/query`, {
        query: [...vector],
        limit,
        with_payload: true,
      });
      return answerList(answer, "result", "points").map(rowOf);
    },
  };
}

/** An id is a number or a UUID. */
const idOf = (text: string): Json => (/^\d{1,15}$/.test(text) ? Number(text) : text);
