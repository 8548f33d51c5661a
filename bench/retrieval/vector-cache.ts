// Vector cache: vectors of texts by their digest, in a file between runs: to compute them takes minutes.

import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmbeddings } from "../../drivers/src/search/index.ts";

export interface VectorCache {
  of(texts: readonly string[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

const BATCH = 16;

export function openVectorCache(): VectorCache {
  const file = join(process.env["AOS_BENCH_DIR"] ?? tmpdir(), "aos-retrieval-vectors-1.txt");
  const known = new Map<string, Float32Array>();
  if (existsSync(file))
    for (const line of readFileSync(file, "utf8").split("\n")) {
      const [key, numbers] = line.split(" ");
      if (numbers === undefined) continue;
      const bytes = Uint8Array.from(Buffer.from(numbers, "base64"));
      if (bytes.length === 2048) known.set(key!, new Float32Array(bytes.buffer));
    }
  const embeddings = createEmbeddings({ timeoutMs: 600_000 });
  return {
    async of(texts) {
      const keys = texts.map((text) =>
        createHash("sha256").update(text).digest("base64").slice(0, 22),
      );
      const missing = [...new Map(keys.map((key, at) => [key, texts[at]!])).entries()].filter(
        ([key]) => !known.has(key),
      );
      for (let from = 0; from < missing.length; from += BATCH) {
        const batch = missing.slice(from, from + BATCH);
        const vectors = await embeddings.of(batch.map(([, text]) => text));
        let lines = "";
        for (const [at, [key]] of batch.entries()) {
          known.set(key, vectors[at]!);
          lines += `${key} ${Buffer.from(vectors[at]!.buffer).toString("base64")}\n`;
        }
        appendFileSync(file, lines);
        if (missing.length > 200 && (from / BATCH) % 20 === 0)
          process.stderr.write(`\rembedding ${from} of ${missing.length} texts `);
      }
      if (missing.length > 200) process.stderr.write("\n");
      return keys.map((key) => known.get(key)!);
    },
    close: () => embeddings.close(),
  };
}
