// Audit of blobs: every large value that a record references exists and matches its digest. Superseded checkpoint
// states may have been dropped (state-retention.ts), since a replay computes them again. The state that a living
// process starts from is checked when it is loaded. What a signed erasure names may be gone (erasures.ts).

import { digestOf } from "../journal/codec.ts";
import type { Store } from "../store/contract.ts";
import type { TenantKey } from "../store/rows.ts";
import type { Erasures } from "./erasures.ts";

/** In a record these are always references (codec.ts, CODEC-3). */
const REFERENCE = /"\$(blob|chain)":"([0-9a-f]*)"/g;

const isState = (text: string): boolean =>
  text.includes('"call":"checkpoint"') &&
  (JSON.parse(text) as { call?: string }).call === "checkpoint";

export class BlobCheck {
  readonly #store: Store;
  readonly #sound = new Set<string>();
  readonly #blamed = new Set<string>();

  readonly #erasures: Erasures;

  constructor(store: Store, erasures: Erasures) {
    this.#store = store;
    this.#erasures = erasures;
  }

  /** The first thing that is wrong with what a record refers to. */
  async problemIn(tenant: TenantKey, text: string): Promise<string | undefined> {
    for (const [, kind, digest] of text.matchAll(REFERENCE)) {
      if (isState(text) && (await this.#store.blob(tenant, digest!)) === undefined) continue;
      const problem =
        kind === "blob" ? await this.#blob(tenant, digest!) : await this.#chain(tenant, digest!);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** Those that no record spoke of. */
  async others(): Promise<string[]> {
    const problems: string[] = [];
    try {
      for await (const { digest, body } of this.#store.blobs()) {
        if (this.#blamed.has(digest)) continue;
        if (body === undefined) problems.push(`a part of the blob ${digest} is missing`);
        else if (digestOf(body) !== digest) problems.push(`the blob ${digest} was changed`);
      }
    } catch (error) {
      problems.push(`the blobs cannot be read: ${(error as Error).message}`);
    }
    return problems;
  }

  async #blob(tenant: TenantKey, digest: string): Promise<string | undefined> {
    const name = `${tenant} ${digest}`;
    if (this.#sound.has(name)) return undefined;
    const body = await this.#store.blob(tenant, digest);
    if (body === undefined && this.#erasures.hasBlob(tenant, digest)) return undefined;
    if (body === undefined) {
      this.#blamed.add(digest);
      return `the blob ${digest} is missing`;
    }
    if (digestOf(body) !== digest) {
      this.#blamed.add(digest);
      return `the blob ${digest} was changed`;
    }
    this.#sound.add(name);
    return undefined;
  }

  async #chain(tenant: TenantKey, head: string): Promise<string | undefined> {
    for (let digest = head; digest !== "" && !this.#sound.has(`${tenant} ${digest}`);) {
      const problem = await this.#blob(tenant, digest);
      if (problem !== undefined) return problem;
      const body = await this.#store.blob(tenant, digest);
      if (body === undefined) return undefined; // erased, and what comes before it is looked at by itself
      digest = (JSON.parse(body) as { prev: string }).prev;
    }
    return undefined;
  }
}
