// Mailbox: the waiting messages of one process. They are stored; a loaded process also has them here.
//
// MAILBOX-1  A message is taken in the transaction of the record that reports it: exactly once.
// MAILBOX-2  It has a limit (mailbox-reservations.ts).
// MAILBOX-3  A taken message is not inserted again, although the store may still report it.
// MAILBOX-4  Replies do not count: an open request has at most one, and any other reply is a dead letter.
// MAILBOX-5  Messages are taken by their lanes, the most urgent first; within a lane by their keys, which are
//     those of one sender in the order of sending.

import { DEFAULT_LANE, lanes } from "@aos/protocol";
import type { MessageRow } from "../store/rows.ts";

export interface Filter {
  readonly from?: string | undefined;
  readonly type?: string | undefined;
  readonly topic?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly stream?: string | undefined;
}

const fits = (message: MessageRow, filter: Filter): boolean =>
  (filter.from === undefined || message.from === filter.from) &&
  (filter.type === undefined || message.type === filter.type) &&
  (filter.topic === undefined || message.topic === filter.topic) &&
  (filter.stream === undefined || streamOf(message)?.id === filter.stream) &&
  (filter.replyTo === undefined
    ? message.type !== "response" || filter.type === "response"
    : message.replyTo === filter.replyTo);

export const streamOf = ({ stream }: MessageRow): { id: string; end?: boolean } | undefined =>
  stream === undefined || stream === null ? undefined : JSON.parse(stream);

const NORMAL = lanes.indexOf(DEFAULT_LANE);
const laneOf = ({ lane }: MessageRow): number => lane ?? NORMAL;

/** MAILBOX-5. */
const inOrder = (a: MessageRow, b: MessageRow): number => laneOf(a) - laneOf(b) || a.key - b.key;

const isExpiring = ({ expiresAt = null }: MessageRow): boolean => expiresAt !== null;

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
  /** Some may expire. */
  hasExpiring = false;
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

  /** When the oldest was sent; null where none waits. */
  get oldestAt(): number | null {
    return this.#messages.map(({ sentAt }) => sentAt).sort((a, b) => a - b)[0] ?? null;
  }

  /** Removes replies that no call waits for. */
  takeReplies(isUnwanted: (message: MessageRow) => boolean): MessageRow[] {
    return this.#takeOut((message) => isReply(message) && isUnwanted(message));
  }

  /** Takes out those whose lifetime is over. */
  takeExpired(nowMs: number): MessageRow[] {
    const taken = this.#takeOut(({ expiresAt }) => expiresAt! <= nowMs && expiresAt! !== null);
    this.hasExpiring = this.#messages.some(isExpiring);
    return taken;
  }

  #takeOut(isWanted: (message: MessageRow) => boolean): MessageRow[] {
    const taken = new Set(this.#messages.filter(isWanted));
    if (taken.size === 0) return [];
    this.#messages = this.#messages.filter((message) => !taken.has(message));
    this.#replies = this.#messages.filter(isReply).length;
    for (const { key } of taken) remember(this.#taken, key);
    return [...taken];
  }

  /** Puts in what the store had when the process was loaded; what came meanwhile is not doubled. */
  fill(rows: readonly MessageRow[]): void {
    const known = new Set(this.#messages.map((message) => message.key));
    this.#messages = [...rows.filter((row) => !known.has(row.key)), ...this.#messages].sort(
      inOrder,
    );
    this.hasExpiring = this.#messages.some(isExpiring);
    this.#replies = this.#messages.filter(isReply).length;
    this.wasAsked ||= rows.some(isRequest);
  }

  add(message: MessageRow): void {
    if (this.#taken.has(message.key)) return;
    this.wasAsked ||= isRequest(message);
    if (this.#messages.some((known) => known.key === message.key)) return;
    const index = this.#waiting.findIndex(({ filter }) => fits(message, filter));
    if (index === -1) {
      this.#insert(message);
      if (isReply(message)) this.#replies += 1;
      this.hasExpiring ||= isExpiring(message);
    } else this.#give(message, this.#waiting.splice(index, 1)[0]!.take);
  }

  /** MAILBOX-5. What comes is mostly the newest of its lane, and of the last lane that there is. */
  #insert(message: MessageRow): void {
    let at = this.#messages.length;
    while (at > 0 && laneOf(this.#messages[at - 1]!) > laneOf(message)) at -= 1;
    this.#messages.splice(at, 0, message);
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
