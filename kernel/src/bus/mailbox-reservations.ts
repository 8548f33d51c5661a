// MailboxReservations: places in mailboxes for messages that are about to be sent.
//
// MAILBOX-RESERVATIONS-1  A sender above the limit is refused with EAGAIN and told when to retry. Concurrent senders
//     are counted one by one.

import { SysError } from "@aos/protocol";
import type { ProcessKey } from "../store/rows.ts";

/** Places in mailboxes that are taken by messages which are not in them yet. */
export class MailboxReservations {
  readonly #coming = new Map<ProcessKey, number>();

  /** Takes a place, where the mailbox has one besides `depth`. Returns how to give it back, once. */
  take(key: ProcessKey, depth: number, limit: number): () => void {
    const coming = this.#coming.get(key) ?? 0;
    if (depth + coming >= limit)
      throw new SysError(
        "EAGAIN",
        `its mailbox is full: ${depth + coming} messages wait, and the limit is ${limit}`,
        { retryAfter: 1000 },
      );
    this.#coming.set(key, coming + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = this.#coming.get(key)! - 1;
      if (left === 0) this.#coming.delete(key);
      else this.#coming.set(key, left);
    };
  }
}
