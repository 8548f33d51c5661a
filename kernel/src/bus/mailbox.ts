// Mailbox: the waiting messages of one process. They are stored; a loaded process also has them here.
//
// MAILBOX-1  A message is taken in the transaction of the record that reports it: exactly once.
// MAILBOX-2  A mailbox has a limit; a sender above it is told when to retry. Concurrent senders are counted one by
//     one (Room).
// MAILBOX-4  Replies do not count: an open request has at most one, and any other reply is a dead letter.
// MAILBOX-3  A taken message is not inserted again, although the store may still report it.

import { SysError } from "@aos/protocol";
import type { MessageRow, ProcessKey } from "../store/rows.ts";

export interface Filter {
  readonly from?: string | undefined;
  readonly type?: string | undefined;
  readonly topic?: string | undefined;
  readonly replyTo?: string | undefined;
}

const fits = (message: MessageRow, filter: Filter): boolean =>
  (filter.from === undefined || message.from === filter.from) &&
  (filter.type === undefined || message.type === filter.type) &&
  (filter.topic === undefined || message.topic === filter.topic) &&
  (filter.replyTo === undefined
    ? message.type !== "response" || filter.type === "response"
    : message.replyTo === filter.replyTo);

/** An answer to a request has this type, whatever its sender called it. */
export const REPLY = "response";

const isReply = ({ type }: MessageRow): boolean => type === REPLY;

const isRequest = ({ type, replyTo }: MessageRow): boolean => replyTo !== null && type !== REPLY;

const REMEMBERED = 1000;

function remember<T>(known: Set<T>, one: T): void {
  known.add(one);
  if (known.size > REMEMBERED) known.delete(known.values().next().value!);
}

export class Mailbox {
  #messages: MessageRow[] = [];
  /** How many of them are replies. */
  #replies = 0;
  /** Another process may wait for an answer of this one. */
  wasAsked = false;
  /** The ids of the last that an operator sent and that were taken: they may be answered. */
  readonly heard = new Set<string>();
  /** The last that were taken: so many that what another node tells of late is among them. */
  readonly #taken = new Set<number>();
  readonly #waiting: { readonly filter: Filter; readonly take: (message: MessageRow) => void }[] =
    [];

  /** What counts against its limit (MAILBOX-4). */
  get depth(): number {
    return this.#messages.length - this.#replies;
  }

  get hasReplies(): boolean {
    return this.#replies > 0;
  }

  hasReplyTo(id: string): boolean {
    return this.#replies > 0 && this.#messages.some(({ replyTo }) => replyTo === id);
  }

  /** Takes out the replies that nobody waits for. */
  takeReplies(isUnwanted: (message: MessageRow) => boolean): MessageRow[] {
    const taken = this.#messages.filter((message) => isReply(message) && isUnwanted(message));
    this.#messages = this.#messages.filter((message) => !taken.includes(message));
    this.#replies -= taken.length;
    for (const { key } of taken) remember(this.#taken, key);
    return taken;
  }

  /** Puts in what the store had when the process was loaded; what came meanwhile is not doubled. */
  fill(rows: readonly MessageRow[]): void {
    const known = new Set(this.#messages.map((message) => message.key));
    this.#messages = [...rows.filter((row) => !known.has(row.key)), ...this.#messages].sort(
      (a, b) => a.key - b.key,
    );
    this.#replies = this.#messages.filter(isReply).length;
    this.wasAsked ||= rows.some(isRequest);
  }

  add(message: MessageRow): void {
    if (this.#taken.has(message.key)) return;
    this.wasAsked ||= isRequest(message);
    if (this.#messages.some((known) => known.key === message.key)) return;
    const index = this.#waiting.findIndex(({ filter }) => fits(message, filter));
    if (index === -1) {
      this.#messages.push(message);
      if (isReply(message)) this.#replies += 1;
    } else this.#give(message, this.#waiting.splice(index, 1)[0]!.take);
  }

  /** The next message that fits, now or when it comes. */
  next(filter: Filter, take: (message: MessageRow) => void): void {
    const index = this.#messages.findIndex((message) => fits(message, filter));
    if (index === -1) return void this.#waiting.push({ filter, take });
    const message = this.#messages.splice(index, 1)[0]!;
    if (isReply(message)) this.#replies -= 1;
    this.#give(message, take);
  }

  #give(message: MessageRow, take: (message: MessageRow) => void): void {
    remember(this.#taken, message.key);
    if (message.from === "operator") remember(this.heard, message.id);
    take(message);
  }

  /** Stops waiting. */
  forget(take: (message: MessageRow) => void): void {
    const index = this.#waiting.findIndex((waiting) => waiting.take === take);
    if (index !== -1) this.#waiting.splice(index, 1);
  }
}

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
