// Embedding backlog: turns the rows of searched segments into vectors, in the background, a few at a time. Vectors are
// stored by model and by the digest of their text and place, so that each text is worked on once, whatever restarts.
//
// BACKLOG-1  A search waits a limited time for vectors, and goes on without those that are missing.
// BACKLOG-2  Vectors of another model are not used; with a new model everything is embedded again while searches go on.
// BACKLOG-3  A text that may not leave this machine is never given to a driver that sends it away: neither one of memory,
//     nor the query of a process that has read such a text.
// BACKLOG-4  The texts of a tenant are given only to a model that its ceiling covers, and what that costs is within the
//     allowance of the day.
// BACKLOG-5  No vector is shared between memories that are granted apart: how long a search takes tells nothing of what
//     another agent has remembered.

import { createHash } from "node:crypto";
import type { EmbeddingDriver, Label, SecretPlace } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import { mayLeave, readLabel } from "../label/label.ts";
import { monotonicMs } from "../platform/clock.ts";
import type { TenantKey } from "../store/rows.ts";
import type { EmbeddingAllowance } from "./embedding-allowance.ts";
import { embeddingText, queryEmbeddingText } from "./embedding-text.ts";
import type { LoadedMemory } from "./memory-segments.ts";
import type { IndexSegment, PassageRow } from "./segment.ts";
import { quantize, type QuantizedVector } from "./vector-table.ts";

/** How long a search waits for the vectors of a small memory, and for that of its query. */
const WAIT_MS = 3000;
/** Texts given to the driver at once: a query waits for those before it. */
const BATCH = 8;
const LOOKUP = 500;
/** After a failure, the time until the driver is tried again. */
const REST_MS = 60_000;

interface MissingVector {
  readonly segment: IndexSegment;
  readonly row: number;
  readonly text: string;
  readonly digest: string;
}

export interface EmbeddingBacklogParts {
  readonly driver: EmbeddingDriver;
  readonly journal: Journal<Store>;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** BACKLOG-4. Whether the ceiling of a tenant covers the model. */
  readonly covers: (tenant: TenantKey, model: string) => Promise<boolean>;
  readonly providerKey: (name: string, place: SecretPlace) => string;
  readonly allowance?: EmbeddingAllowance | undefined;
}

export class EmbeddingBacklog {
  readonly #parts: EmbeddingBacklogParts;
  readonly #driver: EmbeddingDriver;
  readonly #journal: Journal<Store>;
  readonly #running = new Map<LoadedMemory["tenant"], Promise<void>>();
  #brokenUntil = 0;
  #isClosed = false;

  constructor(parts: EmbeddingBacklogParts) {
    this.#parts = parts;
    this.#driver = parts.driver;
    this.#journal = parts.journal;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** BACKLOG-1. The vector of a query; undefined where there is nothing to compare it with, or no driver to ask. */
  async vectorFor(
    query: string,
    loaded: LoadedMemory,
    askedBy: Label,
  ): Promise<QuantizedVector | undefined> {
    if (this.#isClosed || monotonicMs() < this.#brokenUntil) return undefined;
    if (!(await this.#isCovered(loaded.tenant))) return undefined; // BACKLOG-4
    const working = this.#workOn(loaded);
    await within(working);
    const segments = loaded.current();
    if (!segments.some(({ embedded }) => embedded > 0)) return undefined;
    const authors = new Set(
      segments.flatMap(({ rows }) => rows.slice(-200).flatMap((row) => row?.author ?? [])),
    );
    if (this.#driver.egress && !mayLeave(askedBy)) return undefined; // BACKLOG-3
    const embedding = this.#ask([queryEmbeddingText(query, authors)]).then(([vector]) =>
      quantize(vector!),
    );
    return within(embedding.catch((error: unknown) => this.#rest(error)));
  }

  /** BACKLOG-4. */
  async #isCovered(tenant: TenantKey): Promise<boolean> {
    const { resource } = this.#driver;
    return resource === undefined || this.#parts.covers(tenant, resource);
  }

  /** BACKLOG-4. */
  async #ask(texts: readonly string[]): Promise<readonly ArrayLike<number>[]> {
    const { allowance, providerKey } = this.#parts;
    const settle = await allowance?.take(texts);
    let counted: number | undefined;
    const vectors = await this.#driver.embed(texts, {
      providerKey,
      used: (tokens) => (counted = (counted ?? 0) + tokens),
    });
    settle?.(counted);
    return vectors;
  }

  /** One at a time for each tenant: what a tenant has makes no other wait. */
  #workOn(loaded: LoadedMemory): Promise<void> {
    const before = this.#running.get(loaded.tenant);
    if (before !== undefined) return before;
    const working = this.#embedMissing(loaded)
      .catch((error: unknown) => this.#rest(error))
      .finally(() => this.#running.delete(loaded.tenant));
    this.#running.set(loaded.tenant, working);
    return working;
  }

  async #embedMissing(loaded: LoadedMemory): Promise<void> {
    const missing = this.#missingOf(loaded);
    for (let from = 0; from < missing.length && !this.#isClosed; from += LOOKUP) {
      const part = missing.slice(from, from + LOOKUP);
      const left = await this.#fromStore(loaded.tenant, part);
      for (let at = 0; at < left.length && !this.#isClosed; at += BATCH)
        await this.#embed(loaded.tenant, left.slice(at, at + BATCH));
    }
  }

  #missingOf({ current, mostVectors = Infinity }: LoadedMemory): MissingVector[] {
    const segments = current();
    const made = segments.reduce((sum, { embedded }) => sum + embedded, 0);
    const missing = segments.flatMap((segment) =>
      segment.size === segment.embedded
        ? []
        : segment.rows.flatMap((row, at) => {
            if (row === undefined || segment.hasVector(at)) return [];
            if (this.#driver.egress && !mayLeave(readLabel(row.file.label))) return []; // BACKLOG-3
            const text = embeddingText(row);
            return text === undefined
              ? []
              : [{ segment, row: at, text, digest: embeddingDigest(row, text) }];
          }),
    );
    return missing.length <= mostVectors - made
      ? missing
      : missing.slice(0, Math.max(0, mostVectors - made));
  }

  async #fromStore(tenant: TenantKey, wanted: readonly MissingVector[]): Promise<MissingVector[]> {
    const digests = [...new Set(wanted.map(({ digest }) => digest))];
    const rows = await this.#journal.store.embeddings(tenant, this.#driver.model, digests);
    const known = new Map(rows.map(({ digest, vector }) => [digest, vectorOf(vector)]));
    return wanted.filter((one) => {
      const vector = known.get(one.digest);
      if (vector !== undefined) one.segment.embed(one.row, vector);
      return vector === undefined;
    });
  }

  async #embed(tenant: TenantKey, wanted: readonly MissingVector[]): Promise<void> {
    const vectors = await this.#ask(wanted.map(({ text }) => text));
    if (this.#isClosed) return;
    for (const [at, { segment, row, digest }] of wanted.entries()) {
      const vector = quantize(vectors[at]!);
      segment.embed(row, vector);
      this.#journal.write({
        op: "embedding.put",
        row: { tenant, model: this.#driver.model, digest, vector: textOf(vector) },
      });
    }
  }

  #rest(error: unknown): undefined {
    this.#brokenUntil = monotonicMs() + REST_MS;
    if (!this.#isClosed)
      this.#parts.onTrouble("texts were not embedded; memory is searched by words", error);
    return undefined;
  }
}

/** The name of a vector (BACKLOG-5). */
export const embeddingDigest = ({ file }: Pick<PassageRow, "file">, text: string): string =>
  createHash("sha256")
    .update(`${placeOf(file)}\n${text}`)
    .digest("base64url");

/** `/mem/agents/SPACE`, `/mem/shared/X`; working memory by the process that wrote it. */
const placeOf = ({ path, writer }: PassageRow["file"]): string =>
  path.startsWith("/mem/working/") ? `/mem/working/${writer}` : path.split("/", 4).join("/");

/** The scale and the numbers, as text: both databases keep it as it is. */
function textOf({ numbers, scale }: QuantizedVector): string {
  const bytes = Buffer.alloc(4 + numbers.length);
  bytes.writeFloatLE(scale);
  bytes.set(new Uint8Array(numbers.buffer), 4);
  return bytes.toString("base64");
}

function vectorOf(text: string): QuantizedVector {
  const bytes = Buffer.from(text, "base64");
  return {
    scale: bytes.readFloatLE(),
    numbers: Int8Array.from(bytes.subarray(4), (byte) => (byte << 24) >> 24),
  };
}

async function within<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, WAIT_MS, undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
