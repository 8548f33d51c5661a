// DriverTask: the work of a driver for one call. The first of these ends it: the driver, the time limit, a cancelled
// call, a revoked or expired grant.
//
// DRIVER-TASK-1  An interruption waits until the driver has stopped, not only until the call has failed.
// DRIVER-TASK-2  After its end nothing more is allowed for the call (devices.ts).

import { SysError } from "@aos/protocol";
import { MAX_TIMER_MS } from "../platform/clock.ts";
import type { SyscallResult, CallContext } from "../syscall/syscall-handler.ts";
import type { DriverServices } from "./services.ts";
import { errorMessage, DriverCall } from "./devices.ts";
import { watchExpiry } from "./expiry.ts";

/** What a driver is to do, and what is made of how it ends. */
export interface DriverTask<T> {
  run(work: DriverCall): Promise<T>;
  answer(result: T, work: DriverCall): SyscallResult | Promise<SyscallResult>;
  /** What must be known of a failure before it is told. */
  failed?(error: unknown, work: DriverCall): void | Promise<void>;
}

/** Runs a task with the call's time limit, and stops it when the call is cancelled. */
export const runDriverTask = <T>(
  services: DriverServices,
  asked: CallContext,
  limitMs: number,
  task: DriverTask<T>,
): Promise<SyscallResult> =>
  new Promise((resolve, reject) =>
    new Drive(services, asked, task, resolve, reject).begin(limitMs),
  );

class Drive<T> {
  readonly #asked: CallContext;
  readonly #task: DriverTask<T>;
  readonly #work: DriverCall;
  readonly #resolve: (answered: SyscallResult) => void;
  readonly #reject: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #endWatch: (() => void) | undefined;

  constructor(
    services: DriverServices,
    asked: CallContext,
    task: DriverTask<T>,
    resolve: (answered: SyscallResult) => void,
    reject: (error: unknown) => void,
  ) {
    this.#asked = asked;
    this.#task = task;
    this.#work = new DriverCall(services, asked);
    this.#resolve = resolve;
    this.#reject = reject;
    const { call } = asked;
    this.#work.onAbort = (reason) => {
      call.isStopped = true;
      this.#fail(reason);
    };
    call.onCancel = () =>
      this.#work.abort(new SysError("EINTR", "no request waits for the answer any more"));
    const watch = () => (this.#endWatch = watchExpiry(services.platform, asked, this.#work));
    if (call.expiresAt === undefined) call.onExpiryChange = watch;
    else watch();
  }

  begin(limitMs: number): void {
    if (limitMs !== Infinity) {
      const timeUp = () =>
        this.#work.abort(new SysError("ETIMEDOUT", `it took longer than ${limitMs} ms`));
      this.#timer = setTimeout(timeUp, Math.min(limitMs, MAX_TIMER_MS));
    }
    const running = this.#running().then(
      (result) => this.#came(result),
      (error: unknown) => this.#failed(error),
    );
    this.#asked.call.interrupt = (reason) => {
      this.#work.abort(reason);
      return running; // DRIVER-TASK-1
    };
  }

  /** A driver may throw at once, or answer without a promise. */
  #running(): Promise<T> {
    try {
      return Promise.resolve(this.#task.run(this.#work));
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  #came(result: T): void | Promise<void> {
    try {
      this.#work.endProgress();
      const answered = this.#task.answer(result, this.#work);
      if (!(answered instanceof Promise)) return this.#done(answered);
      return answered.then(
        (one) => this.#done(one),
        (error: unknown) => this.#failed(error),
      );
    } catch (error) {
      return this.#failed(error);
    }
  }

  #failed(error: unknown): void | Promise<void> {
    try {
      const known = this.#task.failed?.(error, this.#work);
      if (!(known instanceof Promise)) return this.#fail(error);
      return known.then(
        () => this.#fail(error),
        (another: unknown) => this.#fail(another),
      );
    } catch (another) {
      this.#fail(another);
    }
  }

  #done(answered: SyscallResult): void {
    this.#resolve(answered);
    this.#over();
  }

  #fail(error: unknown): void {
    this.#over();
    this.#reject(
      error instanceof SysError ? error : new SysError("EUPSTREAM", errorMessage(error)),
    );
  }

  /** DRIVER-TASK-2. */
  #over(): void {
    const { call } = this.#asked;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#endWatch?.();
    call.onExpiryChange = undefined;
    call.onCancel = undefined;
    call.interrupt = undefined;
    this.#work.end();
  }
}
