// Chroma: what a collection is asked, by version 2 of its HTTP API (get, query). Its distance becomes a score by
// 1 / (1 + distance).

import { SysError, type Json } from "@aos/protocol";
import {
  answerField,
  answerList,
  type AskStore,
  type VectorDeclaration,
  type VectorRow,
  type VectorStore,
} from "./vector-mount.ts";

type ChromaDeclaration = Extract<VectorDeclaration, { driver: "chroma" }>;

export function chroma({ collection, tenant, database }: ChromaDeclaration): VectorStore {
  const all = `/api/v2/tenants/${encodeURIComponent(tenant)}/databases/${encodeURIComponent(database)}/collections`;
  /** Its name stands for an id, which changes when it is made anew. */
  const named = async (ask: AskStore): Promise<string> => {
    const id = answerField(await ask("get", `${all}/${encodeURIComponent(collection)}`), "id");
    if (typeof id === "string") return `${all}/${encodeURIComponent(id)}`;
    throw new SysError("EUPSTREAM", `there is no collection ${collection}`);
  };
  return {
    async list(ask, { cursor, limit }) {
      const offset = /^\d{1,12}$/.test(cursor) ? Number(cursor) : 0;
      if (cursor !== "" && String(offset) !== cursor)
        throw new SysError("EINVAL", "the cursor does not belong to this mount");
      const body = { limit: limit + 1, offset, include: [] };
      const ids = answerList(await ask("post", `${await named(ask)}/get`, body), "ids");
      return {
        ids: ids.slice(0, limit),
        next: ids.length > limit ? String(offset + limit) : null,
      };
    },
    async read(ask, id) {
      const body = { ids: [id], limit: 1, include: ["documents", "metadatas"] };
      const answer = await ask("post", `${await named(ask)}/get`, body);
      return rowsOf(answer, (name) => listIn(answer, name))[0];
    },
    async search(ask, vector, limit) {
      const answer = await ask("post", `${await named(ask)}/query`, {
        query_embeddings: [[...vector]],
        n_results: limit,
        include: ["documents", "metadatas", "distances"],
      });
      return rowsOf(answer, (name) => {
        const [first] = listIn(answer, name); // one list for each question, of which there is one
        return Array.isArray(first) ? first : [];
      });
    },
  };
}

const listIn = (answer: Json | undefined, name: string): Json[] => {
  const list = answerField(answer, name);
  return Array.isArray(list) ? list : [];
};

function rowsOf(answer: Json | undefined, of: (name: string) => Json[]): VectorRow[] {
  answerList(answer, "ids");
  const [texts, data, distances] = [of("documents"), of("metadatas"), of("distances")];
  return of("ids").map((id, nth) => {
    const distance = distances[nth];
    return {
      id,
      text: texts[nth] ?? null,
      data: data[nth] ?? null,
      ...(typeof distance === "number" ? { score: 1 / (1 + Math.max(distance, 0)) } : {}),
    };
  });
}
