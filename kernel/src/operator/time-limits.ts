// TimeLimits: the effects of time limits on a process.
//
// TIME-LIMITS-1  The wall time of its budget runs from the first start of its program and ends with one SIGBUDGET.
//     While the process is in memory it is told of parts before; it is not woken for that.
// TIME-LIMITS-2  The time to live of its task ends the process and its whole tree. It runs from the submission, in
//     the queue and during pauses as well. A deadline does the same with `onDeadline: end`.
// TIME-LIMITS-3  Time outside memory counts.

import { exitCodes } from "@aos/protocol";
import { noticeParts } from "../budget/accounts.ts";
import { MAX_TIMER_MS, type Platform } from "../platform/clock.ts";
import type { Process } from "../process/process.ts";
import type { ProcessEndings } from "../scheduler/endings.ts";
import { noticeCause, noticedPart } from "../process/budget-notice.ts";
import type { SignalRow } from "../store/rows.ts";
import type { MessageRouter } from "./message-router.ts";

interface Parts {
  readonly platform: Platform;
  readonly router: MessageRouter;
  readonly endings: ProcessEndings;
}

export class TimeLimits {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** TIME-LIMITS-2. Ends it when it is due; whether it was. */
  expire(process: Process): boolean {
    const { platform, endings } = this.#parts;
    const { expiresAt, deadlineAt } = process.row.spec;
    if (expiresAt === undefined || platform.now() < expiresAt) return false;
    const isLate = deadlineAt === expiresAt;
    endings.finish(process, {
      state: "killed",
      code: exitCodes.timeout,
      error: {
        code: "ETIMEDOUT",
        message: isLate ? "its deadline has passed" : "the time to live of its task is over",
      },
      cause: isLate ? "the deadline" : "the time to live",
    });
    return true;
  }

  /** To be called when it is in memory, and again whenever its timer rings. */
  watch(process: Process): void {
    clearTimeout(process.wallTimer);
    if (this.expire(process)) return;
    const { platform } = this.#parts;
    const { expiresAt = Infinity } = process.row.spec;
    const next = Math.min(expiresAt, this.#nextWallAt(process) ?? Infinity);
    if (next === Infinity) return;
    const leftMs = Math.max(0, next - platform.now());
    process.wallTimer = setTimeout(() => this.watch(process), Math.min(leftMs, MAX_TIMER_MS));
    process.wallTimer.unref();
  }

  /** TIME-LIMITS-1. When it is to be told; undefined when there is nothing to tell any more. */
  #nextWallAt(process: Process): number | undefined {
    const { platform, router } = this.#parts;
    if (process.wallEndsAt === undefined || process.wallTold) return undefined;
    if (process.signals.some(isTheEnd)) return undefined;
    const leftMs = process.wallEndsAt - platform.now();
    if (leftMs > 0) return process.wallEndsAt - this.#noticeOfWall(process, leftMs);
    process.wallTold = true;
    void router.signal(process.row, "SIGBUDGET", "the wall clock");
    return undefined;
  }

  /** Tells of the parts that are over; answers how long before the end the next one is, or 0. */
  #noticeOfWall(process: Process, leftMs: number): number {
    const wallMs = process.account.wallMs!;
    const used = (part: number) => wallMs - leftMs >= (wallMs * part) / 100;
    const part = noticeParts.findLast(used);
    if (part !== undefined && part > process.wallPart) {
      process.wallPart = part;
      this.#parts.router.signalLater(process.row, "SIGBUDGET", noticeCause(part, "wall"));
    }
    const next = noticeParts.find((one) => !used(one));
    return next === undefined ? 0 : (wallMs * (100 - next)) / 100;
  }
}

const isTheEnd = ({ signal, cause }: SignalRow): boolean =>
  signal === "SIGBUDGET" && noticedPart(signal, cause) === undefined;
