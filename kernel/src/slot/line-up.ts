// Line-up: who waits for one model. Each tenant has a line of its own.
//
// U1  Between lines, that of the tenant that has had least is next (shares.ts).
// U2  Within a line the earliest deadline is first; of equals, who asked first.

import { Heap, type Ranked } from "./heap.ts";
import type { Share, Shares } from "./shares.ts";

/** What waits: as much of a request as the order needs. */
export interface Ticket extends Ranked {
  readonly tenant: string;
  /** Milliseconds since 1970; everybody has one. */
  readonly dueAt: number;
  /** Counts up with every request. */
  readonly order: number;
}

/** U2. */
const isDueBefore = (one: Ticket, other: Ticket): boolean =>
  one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.order < other.order);

export class Line<T extends Ticket> implements Ranked {
  rank = -1;
  readonly share: Share;
  readonly tickets = new Heap<T>(isDueBefore);
  readonly #lines: Heap<Line<T>>;

  constructor(share: Share, lines: Heap<Line<T>>) {
    this.share = share;
    this.#lines = lines;
  }

  moved(): void {
    this.#lines.moved(this);
  }
}

/** U1. No line is ever empty. */
export function isNext<T extends Ticket>(one: Line<T>, other: Line<T>): boolean {
  const more = one.share.used - other.share.used;
  return more < 0 || (more === 0 && isDueBefore(one.tickets.first!, other.tickets.first!));
}

export class LineUp<T extends Ticket> {
  readonly #shares: Shares;
  readonly #lines = new Heap<Line<T>>(isNext);
  readonly #byTenant = new Map<string, Line<T>>();
  #size = 0;

  constructor(shares: Shares) {
    this.#shares = shares;
  }

  get size(): number {
    return this.#size;
  }

  /** The line whose first is next. */
  get first(): Line<T> | undefined {
    return this.#lines.first;
  }

  add(ticket: T): void {
    this.#size += 1;
    const line = this.#byTenant.get(ticket.tenant);
    if (line === undefined) return this.#open(ticket);
    line.tickets.add(ticket);
    line.moved();
  }

  remove(ticket: T): void {
    const line = this.#byTenant.get(ticket.tenant)!;
    this.#size -= 1;
    line.tickets.remove(ticket);
    if (line.tickets.size > 0) return line.moved();
    this.#byTenant.delete(ticket.tenant);
    this.#lines.remove(line);
    line.share.lines.delete(line);
  }

  all(): T[] {
    return this.#lines.all().flatMap(({ tickets }) => tickets.all());
  }

  #open(ticket: T): void {
    const share = this.#shares.of(ticket.tenant);
    if (share.lines.size === 0) this.#shares.wake(share);
    const line = new Line<T>(share, this.#lines);
    line.tickets.add(ticket);
    this.#byTenant.set(ticket.tenant, line);
    this.#lines.add(line);
    share.lines.add(line);
  }
}
