// TimeLimits: what happens to a process when its time is up.
//
// TIME-LIMITS-1  The wall clock of its budget: it is told once, by SIGBUDGET. It runs from when its
//     program first ran. While it is in memory it is told before, when parts of it are over; it is not
//     woken for that.
// TIME-LIMITS-2  The time to live of its task: it ends, and all of its tree, since nobody below lives
//     longer. It runs from when the task was given, in the queue and while it is paused as well. A
//     deadline is the same where the manifest says that it ends what misses it.
// TIME-LIMITS-3  Time that passed while it was not in memory has passed too.

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
