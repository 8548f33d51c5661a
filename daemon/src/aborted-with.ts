// A signal that aborts with the first of several and leaves no listener on the others.

interface AbortedWith extends Disposable {
  readonly signal: AbortSignal;
  readonly whenAborted: Promise<void>;
}

export function abortedWith(signals: readonly (AbortSignal | undefined)[]): AbortedWith {
  const controller = new AbortController();
  const { promise: whenAborted, resolve } = Promise.withResolvers<void>();
  const abort = () => {
    controller.abort();
    resolve();
  };
  for (const signal of signals) {
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  }
  return {
    signal: controller.signal,
    whenAborted,
    [Symbol.dispose]: () => {
      for (const signal of signals) signal?.removeEventListener("abort", abort);
    },
  };
}
