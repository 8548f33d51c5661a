import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createEmbeddings, type EmbeddingsOptions, type Vector } from "./embeddings.ts";

function embeddings(options: EmbeddingsOptions = {}) {
  const made = createEmbeddings(options);
  onTestFinished(() => made.close());
  return made;
}

/** A thread in the place of the model's. */
function threadThat(body: string): URL {
  const folder = mkdtempSync(join(tmpdir(), "aos-thread-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "thread.mjs");
  writeFileSync(
    file,
    `import { parentPort } from "node:worker_threads";
     let asked = 0;
     parentPort.on("message", ({ id, texts }) => { ${body} });`,
  );
  return pathToFileURL(file);
}

const product = (a: Vector, b: Vector): number =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0);

test("texts that mean the same are nearer than others, and a vector has length 1", async () => {
  const [remove, erase, weather] = await embeddings().of([
    "Remove a file from the disk.",
    "Delete a document.",
    "The weather in Paris tomorrow.",
  ]);

  expect(product(remove!, remove!)).toBeCloseTo(1, 3);
  expect(product(remove!, erase!)).toBeGreaterThan(product(remove!, weather!));
});

test("EMBEDDINGS-1: a text is worked on once", async () => {
  const counting = embeddings({
    thread: threadThat(
      "parentPort.postMessage({ id, vectors: texts.map((text) => [text.length, ++asked]) })",
    ),
  });

  const first = await counting.of(["a", "bb"]);
  const again = await counting.of(["bb", "ccc", "a"]);

  expect(first.map((vector) => [...vector])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  expect(again.map((vector) => [...vector])).toEqual([
    [2, 2],
    [3, 3],
    [1, 1],
  ]);
});

test.each([
  ["says so", 'parentPort.postMessage({ id, error: "no model" })', /no model/],
  ["throws", 'throw new Error("broken")', /broken/],
  ["ends", "process.exit(0)", /thread ended/],
])("EMBEDDINGS-3: a model that %s is a failure that says why", async (_how, body, why) => {
  const broken = embeddings({ thread: threadThat(body), timeoutMs: 600_000 });

  await expect(broken.of(["a"])).rejects.toThrow(why);
});

test("EMBEDDINGS-3: a model that is silent is a failure that says why", async () => {
  const silent = embeddings({ thread: threadThat(""), timeoutMs: 300 });

  await expect(silent.of(["a"])).rejects.toThrow(/longer than 300 ms/);
});

test("EMBEDDINGS-3: after a failure it is tried again", async () => {
  const marker = join(mkdtempSync(join(tmpdir(), "aos-thread-")), "tried");
  onTestFinished(() => rmSync(join(marker, ".."), { recursive: true, force: true }));
  const passing = embeddings({
    thread: threadThat(`
      const fs = process.getBuiltinModule("node:fs");
      if (fs.existsSync(${JSON.stringify(marker)})) parentPort.postMessage({ id, vectors: [[1]] });
      else { fs.writeFileSync(${JSON.stringify(marker)}, ""); throw new Error("not yet"); }`),
  });

  await expect(passing.of(["a"])).rejects.toThrow("not yet");
  expect(await passing.of(["a"])).toHaveLength(1);
});
