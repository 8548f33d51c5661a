// attach: the records of a process and, between them, what its model says.

import { createScriptedModels } from "@aos/drivers";
import type { OperationAnswer } from "@aos/protocol";
import { programs } from "@aos/userland";
import { expect, test } from "vitest";
import { bootForTest, manifest } from "../../helpers/kernel.ts";

type Happening = OperationAnswer<"attach">;

/** It waits for a message before it speaks, so that whoever is to hear it is there. */
async function boot(text: string, pieceMs = 1) {
  const turns = [{ call: [{ tool: "message.receive" }] }, { say: text, pieceMs }];
  const { kernel } = await bootForTest({
    programs: { agent: programs["agent"]!.run },
    models: [createScriptedModels({ folders: [], scripts: { it: { turns } } })],
  });
  const speaker = manifest("it", {
    program: "agent",
    model: "scripted/it",
    tools: ["message.receive"],
    capabilities: ["model:*:infer"],
  });
  return { kernel, pid: await kernel.spawn({ manifest: speaker }) };
}

const isRequest = (happening: Happening): boolean =>
  "record" in happening && "call" in happening.record && happening.record.call === "infer";

const wordsIn = (seen: readonly Happening[]) =>
  seen.flatMap((one, at) => ("progress" in one ? [{ ...one.progress, at }] : []));

test("ATTACH-1: words come before the record that has them; records come once and in order, to the end", async () => {
  const { kernel, pid } = await boot("one two three");
  const seen: Happening[] = [];

  for await (const happening of kernel.attach(pid)) {
    if (isRequest(happening) && !seen.some(isRequest)) await kernel.send(pid, "speak");
    seen.push(happening);
  }

  const records = seen.flatMap((one) => ("record" in one ? [one.record] : []));
  expect(records).toEqual(await kernel.journal(pid));
  const words = wordsIn(seen);
  expect(words.map(({ text }) => text).join("")).toBe("one two three");
  const told = seen.findLastIndex(isRequest);
  expect(words.every(({ at }) => at < told)).toBe(true);
  expect(seen[told]).toMatchObject({ record: { n: words[0]!.n } });
  expect(new Set(words.map(({ n }) => n)).size).toBe(1);
});

test("ATTACH-2: a slow reader gets the words in larger pieces, and none twice", async () => {
  const { kernel, pid } = await boot("one two three four");
  const seen: Happening[] = [];

  for await (const happening of kernel.attach(pid)) {
    if (isRequest(happening) && !seen.some(isRequest)) {
      await kernel.send(pid, "speak");
      await kernel.wait(pid); // and reads nothing meanwhile
    }
    seen.push(happening);
  }

  const words = wordsIn(seen);
  expect(words.map(({ text }) => text).join("")).toBe("one two three four");
  // Only a record that became durable among them may stand between two pieces.
  expect(words.some(({ at }) => words.some((next) => next.at === at + 1))).toBe(false);
});

test("watch has only records; who goes away is no longer told", async () => {
  const { kernel, pid } = await boot("one two");
  const leaving = new AbortController();
  const attached = (async () => {
    for await (const happening of kernel.attach(pid, { signal: leaving.signal })) {
      if (isRequest(happening)) await kernel.send(pid, "speak");
      if ("progress" in happening) leaving.abort();
    }
    return "left";
  })();
  const kinds = new Set<string>();
  for await (const record of kernel.watch(pid)) kinds.add(record.kind);

  expect(await attached).toBe("left");
  expect([...kinds].sort()).toEqual(["call", "end", "start"]);
});

test("who begins to listen in the middle is told that it is one", async () => {
  const { kernel, pid } = await boot("word ".repeat(100), 50);
  const heard = async () => {
    for await (const happening of kernel.attach(pid)) {
      if (isRequest(happening)) await kernel.send(pid, "speak");
      if ("progress" in happening) return happening.progress.at;
    }
    return "nothing";
  };

  const first = await heard();
  const second = await heard();
  await kernel.signal(pid, "SIGKILL");

  expect(first).toBeUndefined();
  expect(second).toBeGreaterThan(0);
});
