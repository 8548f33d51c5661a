// Dead letters: undeliverable messages: replies to a request that has ended, was never made, or was made to another
// process.
//
// DEAD-LETTERS-1  A reply is taken by its request or becomes a dead letter: it waits in no mailbox.
// DEAD-LETTERS-2  A dead letter is stored in the transaction that reports it: with the record of its sender, or with
//     the one that takes it out of a mailbox.
// DEAD-LETTERS-3  Number, age and size of the dead letters of a tenant are limited.

import type { DeadLetter } from "@aos/protocol";
import { REPLY } from "../bus/mailbox.ts";
import type { Journal } from "../journal/journal.ts";
import type { Limits } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { Store, Write } from "../store/contract.ts";
import type { MessageRow, ProcessKey, TenantKey } from "../store/rows.ts";
import type { Process } from "./process.ts";
import { openRequest, receivesReplies } from "./requests.ts";

/** DEAD-LETTERS-3. */
const LONGEST_BODY = 4000;

const OVER = "the request that it answers is over";

interface Parts {
  readonly journal: Journal;
  readonly store: Store;
  readonly platform: Platform;
  readonly limits: Limits;
}

export class DeadLetters {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What puts a message there. */
  write(message: MessageRow, reason: string): Write {
    const { platform, limits } = this.#parts;
    const { key, tenant, process, id, from, type, replyTo, label, sentAt } = message;
    const body =
      message.body.length <= LONGEST_BODY
        ? message.body
        : JSON.stringify(`${message.body.slice(0, LONGEST_BODY)} …`);
    const diedAt = platform.now();
    const row = { key, tenant, process, id, from, type, replyTo, body, label, sentAt, diedAt };
    return { op: "letter.bury", row: { ...row, reason }, keep: limits.deadLetters };
  }

  /** The replies in a mailbox that no call of its process waits for. */
  bury(process: Process): void {
    if (process.ended || !process.mailbox.hasReplies) return;
    // What it waits for is not known before its program has lived through its journal, nor after it has left.
    if (process.program === null || process.replay !== null || receivesReplies(process)) return;
    const unwanted = process.mailbox.takeReplies(
      ({ replyTo, from }) => openRequest(process, replyTo, from) === undefined,
    );
    if (unwanted.length === 0) return;
    this.#parts.journal.amend(process, ...this.#burials(unwanted));
  }

  /** Of what is in the mailbox of one that has ended: the replies that were sent to it while it did. */
  buryOfEnded(messages: readonly MessageRow[]): void {
    const replies = messages.filter(({ type }) => type === REPLY);
    if (replies.length > 0) this.#parts.journal.write(...this.#burials(replies));
  }

  #burials(messages: readonly MessageRow[]): Write[] {
    return messages.flatMap((message): Write[] => [
      { op: "message.take", key: message.key },
      this.write(message, OVER),
    ]);
  }

  /** The newest first. */
  async list(query: {
    readonly tenant?: TenantKey;
    readonly process?: ProcessKey;
    /** Those before this one, by its key. */
    readonly before?: number | undefined;
    readonly limit: number;
  }): Promise<DeadLetter[]> {
    const { store, platform, limits } = this.#parts;
    const sinceMs = platform.now() - limits.deadLetterMs;
    const rows = await store.deadLetters({ ...query, sinceMs });
    return rows.map((row) => ({
      id: row.id,
      to: row.to ?? "?",
      from: row.from,
      type: row.type,
      replyTo: row.replyTo,
      body: JSON.parse(row.body) as DeadLetter["body"],
      label: row.label,
      sentAt: new Date(row.sentAt).toISOString(),
      diedAt: new Date(row.diedAt).toISOString(),
      reason: row.reason,
    }));
  }
}
