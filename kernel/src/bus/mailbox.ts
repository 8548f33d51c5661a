// Mailbox: the messages of one process that nobody has taken yet. They live in the store; a loaded
// process has them here as well.
//
// M1  A message is taken in the same transaction as the record that says so: exactly once.
// M2  A mailbox has a limit; a sender that meets it is told when to try again.

import { SysError } from "@aos/protocol";
import type { MessageRow } from "../store/rows.ts";

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

export class Mailbox {
  #messages: MessageRow[] = [];
  readonly #waiting: { readonly filter: Filter; readonly take: (message: MessageRow) => void }[] =
    [];

  get depth(): number {
    return this.#messages.length;
  }

  /** Puts in what the store had when the process was loaded; what came meanwhile is not doubled. */
  fill(rows: readonly MessageRow[]): void {
    const known = new Set(this.#messages.map((message) => message.key));
    this.#messages = [...rows.filter((row) => !known.has(row.key)), ...this.#messages].sort(
      (a, b) => a.key - b.key,
    );
  }

  add(message: MessageRow): void {
    if (this.#messages.some((known) => known.key === message.key)) return;
    const index = this.#waiting.findIndex(({ filter }) => fits(message, filter));
    if (index === -1) this.#messages.push(message);
    else this.#waiting.splice(index, 1)[0]!.take(message);
  }

  /** The next message that fits, now or when it comes. */
  next(filter: Filter, take: (message: MessageRow) => void): void {
    const index = this.#messages.findIndex((message) => fits(message, filter));
    if (index === -1) this.#waiting.push({ filter, take });
    else take(this.#messages.splice(index, 1)[0]!);
  }

  /** Stops waiting. */
  forget(take: (message: MessageRow) => void): void {
    const index = this.#waiting.findIndex((waiting) => waiting.take === take);
    if (index !== -1) this.#waiting.splice(index, 1);
  }

  holds(key: number): boolean {
    return this.#messages.some((message) => message.key === key);
  }
}

export function refuseFullMailbox(pid: string, depth: number, limit: number): void {
  if (depth < limit) return;
  throw new SysError("EAGAIN", `${pid} has ${depth} messages waiting, and its limit is ${limit}`, {
    retryAfter: 1000,
  });
}
