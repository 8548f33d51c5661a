// IdleTimeout: limits the silence of a vendor before its first word and between two.

import { SysError } from "@aos/protocol";

export interface IdleTimeout {
  /** Something came. */
  readonly heard: () => void;
  readonly over: () => void;
}

/** Aborts what is under way when it was quiet for too long. */
export function startIdleTimeout(
  controller: AbortController,
  model: string,
  times: { readonly firstMs: number; readonly idleMs: number },
): IdleTimeout {
  const wait = (ms: number) =>
    setTimeout(() => {
      const text = `${model} sent nothing for ${ms / 1000} seconds`;
      controller.abort(new SysError("EUPSTREAM", text, { detail: { transient: true } }));
    }, ms);
  let timer = wait(times.firstMs);
  let hasSpoken = false;
  return {
    heard: () => {
      if (hasSpoken) return void timer.refresh();
      hasSpoken = true;
      clearTimeout(timer);
      timer = wait(times.idleMs);
    },
    over: () => clearTimeout(timer),
  };
}
