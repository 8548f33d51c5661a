// Loaded before everything else into what a test home starts (NODE_OPTIONS). In a daemon it writes down of
// every answer whether it kept its contract; anywhere else it does nothing, and loads nothing.

import { isMainThread } from "node:worker_threads";

const book = process.env.AOS_ANSWER_BOOK;
const isDaemon = /\/daemon\/(bin\/daemon\.mjs|src\/main\.ts)$/.test(process.argv[1] ?? "");
if (book !== undefined && isMainThread && isDaemon) {
  // What the daemon starts is somebody else's, but for the store's thread, which a test may kill (kill-switch).
  if (process.env.AOS_TEST_KILL === undefined) delete process.env.NODE_OPTIONS;
  delete process.env.AOS_ANSWER_BOOK;
  const { appendFileSync } = await import("node:fs");
  const { watchAnswers } = await import("./answer-watch.ts");
  const { operationAt } = await import("./answer-check.ts");
  appendFileSync(book, `${JSON.stringify({ watching: process.pid })}\n`);
  watchAnswers(({ method, url, status }, problems) => {
    const operation = operationAt(method, url) ?? url.split("?", 1)[0];
    appendFileSync(book, `${JSON.stringify({ operation, status, problems })}\n`);
  });
}
