import type { Progress } from "@aos/protocol";
import { expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { createScriptedModels, type ScriptText } from "./index.ts";

async function heard(script: ScriptText, maxTokens?: number) {
  const pieces: Progress[] = [];
  const context = deviceContextForTest({ onProgress: (piece) => pieces.push(piece) });
  const models = createScriptedModels({ folders: [], scripts: { it: script } });
  const request = { model: "scripted/it", messages: [{ role: "user" as const, content: "hi" }] };
  const { text } = await models.infer(
    maxTokens === undefined ? request : { ...request, maxTokens },
    context,
  );
  return { text, pieces };
}

test("what is said comes word by word, and together it is the answer", async () => {
  const { text, pieces } = await heard({ turns: [{ say: " one two\n\nthree ", pieceMs: 1 }] });

  expect(pieces.map((piece) => piece.text)).toEqual([" one", " two", "\n\nthree", " "]);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
  expect(new Set(pieces.map(({ kind }) => kind))).toEqual(new Set(["text"]));
});

test("of an answer that is cut off no more is heard than is given; a call alone says nothing", async () => {
  const cut = await heard({ turns: [{ say: "one two three four five six" }] }, 2);
  const silent = await heard({ turns: [{ call: [{ tool: "echo" }] }] });

  expect(cut.pieces.map((piece) => piece.text).join("")).toBe(cut.text);
  expect(silent.pieces).toEqual([]);
});

test("who stops it while it speaks hears no more", async () => {
  const stop = new AbortController();
  const pieces: string[] = [];
  const context = deviceContextForTest({
    signal: stop.signal,
    onProgress: ({ text }) => {
      pieces.push(text);
      stop.abort();
    },
  });
  const script = { turns: [{ say: "one two three", pieceMs: 1 }] };
  const models = createScriptedModels({ folders: [], scripts: { it: script } });

  const asked = models.infer({ model: "scripted/it", messages: [] }, context);

  await expect(asked).rejects.toMatchObject({ code: "EINTR" });
  expect(pieces).toEqual(["one"]);
});
