// Run tests: several at a time, each reported when it is over.
//
// RUN-TESTS-1  A test that fails or hangs does not stop the others.
// RUN-TESTS-2  When the caller is gone, no other test starts, and running ones are ended.

import { availableParallelism } from "node:os";
import type { AgentTestReport } from "@aos/protocol";
import type { TestEnvironment } from "./test-environment.ts";
import { runTest } from "./run-test.ts";
import type { TestDefinition } from "./test-file.ts";

const AT_ONCE = Math.max(2, Math.min(8, availableParallelism()));

export async function* runTests(
  tests: readonly TestDefinition[],
  environment: TestEnvironment,
  signal?: AbortSignal,
): AsyncGenerator<AgentTestReport> {
  const stop = new AbortController();
  const stopped = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const waiting = [...tests];
  const running = new Map<TestDefinition, Promise<[TestDefinition, AgentTestReport]>>();
  const begin = () => {
    while (running.size < AT_ONCE && !stopped.aborted) {
      const next = waiting.shift();
      if (next === undefined) return;
      const ran = runTest(next, environment, stopped).then(({ came: _came, ...report }) => report);
      running.set(
        next,
        ran.then((report) => [next, report]),
      );
    }
  };
  try {
    for (begin(); running.size > 0; begin()) {
      const [test, report] = await Promise.race(running.values());
      running.delete(test);
      yield report;
    }
  } finally {
    stop.abort();
    await Promise.allSettled(running.values());
  }
}
