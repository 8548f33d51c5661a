// Side thread: work on untrusted data that may never end or exhaust memory. It runs in its own thread with a time
// limit.
//
//   await onSideThread(new URL("./query-thread.ts", import.meta.url), { json, query }, "json.query")
//
// The module reads `workerData` and posts one message: { ok } or { error }.

import { SysError } from "@aos/protocol";
import { Worker } from "node:worker_threads";

const TIME_MS = 10_000;
const MEMORY_MB = 256;

export function onSideThread<Result>(module: URL, data: unknown, what: string): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(module, {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, stackSizeMb: 4 },
    });
    const over = (act: () => void) => {
      clearTimeout(timer);
      void worker.terminate();
      act();
    };
    const timer = setTimeout(
      () => over(() => reject(new SysError("ETIMEDOUT", `${what} took longer than ${TIME_MS} ms`))),
      TIME_MS,
    );
    worker.once("message", (said: { ok: Result } | { error: string }) =>
      over(() => {
        if ("ok" in said) resolve(said.ok);
        else reject(new SysError("EINVAL", `${what}: ${said.error}`));
      }),
    );
    worker.once("error", (error) =>
      over(() => reject(new SysError("EUPSTREAM", `${what}: ${error.message}`))),
    );
  });
}
