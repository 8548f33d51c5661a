// When the daemon stops, a caller that waits for a process gets an error, not the end of the process.

import { SysError } from "@aos/protocol";

export async function* untilClosing<T>(
  values: AsyncIterable<T>,
  closing: AbortSignal,
  pid: string,
): AsyncGenerator<T> {
  yield* values;
  refuseIfClosing(closing, pid);
}

export function refuseIfClosing(closing: AbortSignal, pid: string): void {
  if (!closing.aborted) return;
  throw new SysError("EINTR", "the daemon is stopping", {
    hint: `${pid} is kept and continues at the next start; then run: aos wait ${pid}`,
  });
}
