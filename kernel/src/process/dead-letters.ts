// Dead letters: undeliverable messages. Replies to a request that has ended, was never made, or was made to another
// process; messages whose lifetime is over, or whose receiver ended before it received them.
//
// DEAD-LETTERS-1  A reply is taken by its request or becomes a dead letter: it waits in no mailbox.
// DEAD-LETTERS-2  A dead letter is stored in the transaction that reports it: with the record of its sender, or with
//     the one that takes it out of a mailbox.
// DEAD-LETTERS-3  Number, age and size of the dead letters of a tenant are limited. A body that was cut is not redriven.
// DEAD-LETTERS-4  A message that is buried twice is one dead letter.

import type { DeadLetter } from "@aos/protocol";
import { REPLY } from "../bus/mailbox.ts";
import type { Journal } from "../journal/journal.ts";
import type { Limits } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { Write } from "../store/contract.ts";
import type { OpenedStore } from "../store/mail-reports.ts";
import type { MessageRow, ProcessKey, TenantKey } from "../store/rows.ts";
import type { Process } from "./process.ts";
import { openRequest, receivesReplies } from "./requests.ts";

/** DEAD-LETTERS-3. */
const LONGEST_BODY = 256 * 1024;

const OVER = "the request that it answers is over";
const EXPIRED = "its lifetime was over before it was received";
const ENDED = "its receiver ended before it was received";

interface Parts {
  readonly journal: Journal;
  readonly store: OpenedStore;
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
    const { key, tenant, process, id, from, type, topic, replyTo, label, sentAt, cause } = message;
    const isCut = message.body.length > LONGEST_BODY;
    const body = isCut ? JSON.stringify(`${message.body.slice(0, LONGEST_BODY)} …`) : message.body;
    const what = { key, tenant, process, id, from, type, topic, replyTo, body, isCut };
    const how = {
      label,
      sentAt,
      cause,
      lane: message.lane ?? null,
      diedAt: platform.now(),
      reason,
    };
    return { op: "letter.bury", row: { ...what, ...how }, keep: limits.deadLetters };
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
    this.#parts.journal.amend(process, ...this.#burials(unwanted, OVER));
  }

  /** What is in a mailbox and whose lifetime is over. */
  buryExpired(process: Process): void {
    if (!process.mailbox.hasExpiring || process.ended) return;
    const expired = process.mailbox.takeExpired(this.#parts.platform.now());
    if (expired.length > 0) this.#parts.journal.amend(process, ...this.#burials(expired, EXPIRED));
  }

  /** The same of mailboxes that are in no memory. */
  buryUnloaded(messages: readonly MessageRow[]): void {
    if (messages.length > 0) this.#parts.journal.write(...this.#burials(messages, EXPIRED));
  }

  /** What is in the mailbox of one that has ended. What came by a durable subscription is for the next that has it. */
  buryOfEnded(messages: readonly MessageRow[]): void {
    const left = messages.filter(({ subscription = null }) => subscription === null);
    const isReply = ({ type }: MessageRow) => type === REPLY;
    const writes = [
      ...this.#burials(left.filter(isReply), OVER),
      ...this.#burials(
        left.filter((message) => !isReply(message)),
        ENDED,
      ),
    ];
    if (writes.length > 0) this.#parts.journal.write(...writes);
  }

  #burials(messages: readonly MessageRow[], reason: string): Write[] {
    return messages.flatMap((message): Write[] => [
      { op: "message.take", key: message.key },
      this.write(message, reason),
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
      topic: row.topic,
      replyTo: row.replyTo,
      body: JSON.parse(row.body) as DeadLetter["body"],
      isCut: row.isCut,
      label: row.label,
      sentAt: new Date(row.sentAt).toISOString(),
      diedAt: new Date(row.diedAt).toISOString(),
      reason: row.reason,
    }));
  }
}
