// Outbox: sends what waits in it, at least once, and gives up after a number of tries.
//
// OUTBOX-1  A row is done only when the other side has taken it. A daemon that is killed in between sends it again,
//     under the same id, once the lease is over.
// OUTBOX-2  A failure waits longer each time, and at least as long as the other side asks. What the other side will
//     never take, and what was tried often enough, is dead: it is in the log, in `aos notify log` and in the metrics.
// OUTBOX-3  No error that is kept has a secret.

import type { DeliveryResult } from "@aos/drivers/post";
import type { Kernel, Post } from "@aos/kernel";
import type { Logger } from "pino";

export interface OutboxItem {
  readonly tries: number;
  /** Undefined: there is nothing to say any more. */
  readonly send: (signal: AbortSignal) => Promise<DeliveryResult | undefined>;
}

interface Parts {
  readonly kernel: Pick<Kernel, "takePosts" | "settlePost" | "scrub">;
  /** Undefined where nothing is configured for it here. */
  readonly itemOf: (post: Post) => OutboxItem | undefined;
  readonly log: Pick<Logger, "warn" | "info">;
  readonly firstBackoffMs?: number;
}

const AT_ONCE = 8;
/** Longer than a try may take. */
const LEASE_MS = 45_000;
const FIRST_BACKOFF_MS = 5000;
const LONGEST_BACKOFF_MS = 3_600_000;
/** Another node may have what it is for. */
const NOT_OURS_MS = 600_000;

export class Outbox {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Everything that is due; how many there were. */
  async sendDue(signal: AbortSignal): Promise<number> {
    const { kernel } = this.#parts;
    const posts = await kernel.takePosts("out", { limit: AT_ONCE, leaseMs: LEASE_MS });
    await Promise.all(posts.map((post) => this.#send(post, signal)));
    return posts.length;
  }

  async #send(post: Post, signal: AbortSignal): Promise<void> {
    const { kernel, itemOf } = this.#parts;
    const item = itemOf(post);
    if (item === undefined) {
      const error = `config.yaml has no row ${post.target} for it`;
      await kernel.settlePost(post.id, { inMs: NOT_OURS_MS, error });
      return;
    }
    const result = await item.send(signal).catch((error: unknown): DeliveryResult => {
      const why = error instanceof Error ? error.message : String(error);
      return { ok: false, isFinal: false, why };
    });
    if (signal.aborted) {
      await kernel.settlePost(post.id, { inMs: 0 }).catch(() => {}); // for whoever comes next
      return;
    }
    if (result === undefined) await kernel.settlePost(post.id, { state: "void" });
    else if (result.ok) await kernel.settlePost(post.id, { state: "done", body: "" });
    else await this.#failed(post, item, result);
  }

  /** OUTBOX-2. */
  async #failed(
    post: Post,
    { tries }: OutboxItem,
    { isFinal, why, retryAfterMs = 0 }: Extract<DeliveryResult, { ok: false }>,
  ): Promise<void> {
    const { kernel, log, firstBackoffMs = FIRST_BACKOFF_MS } = this.#parts;
    const error = kernel.scrub(why).slice(0, 500); // OUTBOX-3
    const { id, target, kind, attempts } = post;
    if (isFinal || attempts >= tries) {
      await kernel.settlePost(id, { state: "dead", error });
      log.warn({ id, target, kind, attempts, error }, "a notification was given up");
      return;
    }
    const backoff = Math.min(firstBackoffMs * 2 ** (attempts - 1), LONGEST_BACKOFF_MS);
    await kernel.settlePost(id, { inMs: Math.max(backoff, retryAfterMs), error });
  }
}
