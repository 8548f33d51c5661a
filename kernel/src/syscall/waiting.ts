// Waiting: a call whose answer comes later. What it waits for is stored, so that the process may leave memory.

import { SysError, type WaitKind } from "@aos/protocol";
import { MAX_TIMER_MS, type Platform } from "../platform/clock.ts";
import type { PendingCall } from "../process/process.ts";
import type { SyscallResult } from "./syscall-handler.ts";

const CANCELLED = new SysError("EINTR", "no request waits for the answer any more");

/**
 * Begins to wait; gets what to call with the answer, and returns how to stop. Where the store does not
 * know yet what is waited for, `leave` is called when it does, and `mayLeave` is false until then.
 */
export type BeginCall = (
  answer: (answered: SyscallResult | Error) => void,
  leave: () => void,
) => () => void;

export interface Wait {
  readonly kind: WaitKind;
  readonly until: number | undefined;
  readonly begin: BeginCall;
  /** False for what the store would not tell of: the process must stay. */
  readonly mayLeave: boolean;
}

export function waitFor(
  call: PendingCall,
  wait: Wait,
  platform: Platform,
  onWaiting: () => void,
): Promise<SyscallResult> {
  const { kind, until, begin, mayLeave } = wait;
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let stop: (() => void) | undefined;
    let isOver = false;
    const over = () => {
      isOver = true;
      clearTimeout(timer);
      call.onCancel = undefined;
      call.waitsOn = null;
      call.dormant = false;
      call.until = undefined;
    };
    const answer = (answered: SyscallResult | Error) => {
      if (isOver) return;
      over();
      if (answered instanceof Error) reject(answered);
      else resolve(answered);
    };
    const untilThen = () => {
      const leftMs = until! - platform.now();
      if (leftMs > 0) timer = setTimeout(untilThen, Math.min(leftMs, MAX_TIMER_MS));
      else {
        stop?.();
        answer(new SysError("ETIMEDOUT", "no message arrived in time"));
      }
    };
    const leave = () => {
      if (isOver) return;
      call.dormant = true;
      onWaiting();
    };
    stop = begin(answer, leave);
    if (isOver) return;
    call.waitsOn = kind;
    call.dormant = mayLeave;
    call.until = until;
    call.onCancel = () => {
      stop?.();
      over();
      reject(CANCELLED); // nobody wants an answer, but what was reserved for it is given back
    };
    if (until !== undefined) untilThen();
    if (!isOver) onWaiting();
  });
}
