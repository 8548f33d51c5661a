// Brake: no more money than so much within so long, whoever spends it.
//
// K1  What was settled within the time, what is reserved, and the worst case of what is wanted are
//     together never more than the limit.
// K2  Money counts from when it was settled, to the end of its slot: a little longer than the time, never
//     shorter.

import { SysError } from "@aos/protocol";
import type { Velocity } from "../options.ts";
import type { Amount } from "./amount.ts";
import { noPrice, type Purpose } from "./cover.ts";

/** The time is cut into so many slots, so that what is remembered has an end. */
const SLOTS = 256;

interface Slot {
  /** When what is in it is forgotten, in milliseconds since 1970. */
  readonly over: number;
  usd: number;
}

export class Brake {
  readonly name: string;
  readonly usd: number;
  readonly withinMs: number;
  readonly #slotMs: number;
  #slots: Slot[] = [];
  #spent = 0;
  #reserved = 0;

  constructor(name: string, { usd, withinMs }: Pick<Velocity, "usd" | "withinMs">) {
    this.name = name;
    this.usd = usd;
    this.withinMs = withinMs;
    this.#slotMs = Math.max(1, Math.ceil(withinMs / SLOTS));
  }

  mustCover(worst: Amount, { nowMs, what }: Purpose): void {
    if (worst.unpriced === true) throw noPrice(what);
    if (worst.usd === 0) return;
    this.#forget(nowMs);
    const over = this.#spent + this.#reserved + worst.usd - this.usd;
    if (over <= 0) return;
    throw new SysError(
      "EVELOCITY",
      `this could cost ${worst.usd} usd, and of ${this.usd} within ${this.withinMs / 1000} s ${Math.max(0, worst.usd - over)} are left for ${this.name}`,
      {
        hint: "spend slower, or a higher limit: velocity in config.yaml",
        retryAfter: this.#freeIn(over, nowMs),
      },
    );
  }

  hold(usd: number): void {
    this.#reserved += usd;
  }

  settle(reserved: number, spent: number, nowMs: number): void {
    this.#reserved -= reserved;
    this.note(spent, nowMs);
  }

  /** Money that was spent then. */
  note(usd: number, atMs: number): void {
    if (usd === 0) return;
    const slot = Math.floor(atMs / this.#slotMs) + 1;
    const over = slot * this.#slotMs + this.withinMs;
    const last = this.#slots.at(-1);
    if (last !== undefined && last.over >= over) last.usd += usd;
    else this.#slots.push({ over, usd });
    this.#spent += usd;
  }

  #forget(nowMs: number): void {
    let gone = 0;
    while (gone < this.#slots.length && this.#slots[gone]!.over <= nowMs) gone++;
    if (gone === 0) return;
    this.#slots = this.#slots.slice(gone);
    this.#spent = this.#slots.reduce((sum, slot) => sum + slot.usd, 0); // without a rest of rounding
  }

  /** When enough is forgotten; what is reserved may be free any time. */
  #freeIn(over: number, nowMs: number): number {
    let freed = 0;
    for (const slot of this.#slots) {
      freed += slot.usd;
      if (freed >= over) return slot.over - nowMs;
    }
    return this.withinMs;
  }
}
