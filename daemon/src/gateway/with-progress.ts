// WithProgress: the lines of long work: how far it is, at most four times a second, and last its result.

import type { OnProgress, WorkProgress } from "@aos/protocol";

const TELL_EVERY_MS = 250;

type Line = { readonly progress: WorkProgress } | { readonly result: unknown };

export async function* withProgress(
  work: (onProgress: OnProgress) => Promise<unknown>,
): AsyncGenerator<Line> {
  let latest: WorkProgress | undefined;
  const working = work((progress) => void (latest = progress));
  const isOver = working.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([isOver, later()]))) {
    if (latest !== undefined) yield { progress: latest };
    latest = undefined;
  }
  yield { result: (await working) ?? null };
}

const later = (): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(false), TELL_EVERY_MS).unref();
  });
