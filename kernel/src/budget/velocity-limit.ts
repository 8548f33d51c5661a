// VelocityLimit: limits the money spent within a period.
//
// VELOCITY-LIMIT-1  Settled money within the period, reservations and the requested worst case together never exceed
//     the limit.
// VELOCITY-LIMIT-2  Money counts from its settlement to the end of its slot: slightly longer than the period, never
//     shorter.

import { limitMicroUsd, SysError, usdOf } from "@aos/protocol";
import type { Velocity } from "../options.ts";
import type { Amount } from "./amount.ts";
import { noPrice, type SpendPurpose } from "./cover.ts";

/** The time is cut into so many slots, so that what is remembered has an end. */
const SLOTS = 256;

interface Slot {
  /** When what is in it is forgotten, in milliseconds since 1970. */
  readonly over: number;
  microUsd: number;
}

export class VelocityLimit {
  readonly name: string;
  readonly microUsd: number;
  readonly withinMs: number;
  readonly #slotMs: number;
  #slots: Slot[] = [];
  #spent = 0;
  #reserved = 0;

  constructor(name: string, { usd, withinMs }: Pick<Velocity, "usd" | "withinMs">) {
    this.name = name;
    this.microUsd = limitMicroUsd(usd);
    this.withinMs = withinMs;
    this.#slotMs = Math.max(1, Math.ceil(withinMs / SLOTS));
  }

  mustCover(worst: Amount, { nowMs, what }: SpendPurpose): void {
    if (worst.unpriced === true) throw noPrice(what);
    if (worst.microUsd === 0) return;
    this.#forget(nowMs);
    const over = this.#spent + this.#reserved + worst.microUsd - this.microUsd;
    if (over <= 0) return;
    throw new SysError(
      "EVELOCITY",
      `this call could cost ${usdOf(worst.microUsd)} usd, but ${this.name} may spend only ${usdOf(Math.max(0, worst.microUsd - over))} more of ${usdOf(this.microUsd)} usd within ${this.withinMs / 1000} s`,
      {
        hint: "wait, or raise `velocity` in config.yaml",
        retryAfter: this.#freeIn(over, nowMs),
      },
    );
  }

  left(nowMs: number): number {
    this.#forget(nowMs);
    return Math.max(0, this.microUsd - this.#spent - this.#reserved);
  }

  hold(microUsd: number): void {
    this.#reserved += microUsd;
  }

  settle(reserved: number, spent: number, nowMs: number): void {
    this.#reserved -= reserved;
    this.note(spent, nowMs);
  }

  /** Money that was spent then. */
  note(microUsd: number, atMs: number): void {
    if (microUsd === 0) return;
    const slot = Math.floor(atMs / this.#slotMs) + 1;
    const over = slot * this.#slotMs + this.withinMs;
    const last = this.#slots.at(-1);
    if (last !== undefined && last.over >= over) last.microUsd += microUsd;
    else this.#slots.push({ over, microUsd });
    this.#spent += microUsd;
  }

  #forget(nowMs: number): void {
    let gone = 0;
    while (gone < this.#slots.length && this.#slots[gone]!.over <= nowMs) gone++;
    if (gone === 0) return;
    this.#slots = this.#slots.slice(gone);
    this.#spent = this.#slots.reduce((sum, slot) => sum + slot.microUsd, 0);
  }

  /** When enough is forgotten; what is reserved may be free any time. */
  #freeIn(over: number, nowMs: number): number {
    let freed = 0;
    for (const slot of this.#slots) {
      freed += slot.microUsd;
      if (freed >= over) return slot.over - nowMs;
    }
    return this.withinMs;
  }
}
