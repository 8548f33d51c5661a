import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { queueLines } from "./line-queue.ts";

test("LINE-QUEUE-1: what a line sets going is done before the next, even when both come in one piece", async () => {
  const stream = new PassThrough();
  const done: string[] = [];
  const work = async (line: string) => {
    for (let step = 0; step < (line === "first" ? 50 : 0); step++) await Promise.resolve();
    done.push(line);
  };
  const ended = new Promise<void>((end) => {
    queueLines(stream, { line: (line) => void work(line), end });
  });

  stream.write("first\nsecond\nthi");
  await turn();
  stream.end("rd\n");
  await ended;

  expect(done).toEqual(["first", "second", "third"]);
});
