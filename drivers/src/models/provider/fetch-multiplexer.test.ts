import type { LanguageModelV4 } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { FetchMultiplexer } from "./fetch-multiplexer.ts";

type Fetch = typeof globalThis.fetch;

/** A board whose model does nothing but send, and what it was opened with. */
function boardForTest() {
  const opened: Fetch[] = [];
  const board = new FetchMultiplexer(async (fetch) => {
    opened.push(fetch);
    return {} as LanguageModelV4;
  });
  return { board, opened };
}

const wire =
  (name: string): Fetch =>
  async () =>
    new Response(name);

const signal = (): AbortSignal => new AbortController().signal;

test("PROVIDER-4: a model is opened once, for those who ask at once and for those who come later", async () => {
  const { board, opened } = boardForTest();

  const both = await Promise.all([
    board.connect(signal(), wire("a")),
    board.connect(signal(), wire("b")),
  ]);
  const later = await board.connect(signal(), wire("c"));

  expect(opened).toHaveLength(1);
  expect(new Set([...both, later]).size).toBe(1);
});

test("FETCH-MULTIPLEXER-1: a request goes over its own wire, whoever was connected since", async () => {
  const { board, opened } = boardForTest();
  const signals = ["a", "b", "c"].map((name) => ({ name, signal: signal() }));
  for (const each of signals) await board.connect(each.signal, wire(each.name));

  const heard = await Promise.all(
    signals
      .toReversed()
      .map(async (each) => (await opened[0]!("http://x", { signal: each.signal })).text()),
  );

  expect(heard).toEqual(["c", "b", "a"]);
});

test("FETCH-MULTIPLEXER-2: a request that nobody made goes nowhere", async () => {
  const { board, opened } = boardForTest();
  await board.connect(signal(), wire("a"));

  await expect(opened[0]!("http://x", { signal: signal() })).rejects.toThrow("without a caller");
  await expect(opened[0]!("http://x")).rejects.toThrow("without a caller");
});

test("FETCH-MULTIPLEXER-3: who could not be opened is opened anew", async () => {
  let tries = 0;
  const board = new FetchMultiplexer(async () => {
    tries += 1;
    if (tries === 1) throw new Error("not today");
    return {} as LanguageModelV4;
  });

  await expect(board.connect(signal(), wire("a"))).rejects.toThrow("not today");
  await board.connect(signal(), wire("a"));

  expect(tries).toBe(2);
});
