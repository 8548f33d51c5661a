// Blobs: texts that are stored in parts, which others may share.

import { expect, test } from "vitest";
import { digestOf, splitText } from "@aos/kernel/parts";
import type { Write } from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended, extension, forked, patched } from "./rows.ts";

const stateOf = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, turn) => ({ content: `question ${turn} é😀` })));
const [shorter, longer] = [stateOf(900), stateOf(901)];

const put = (process: number, body: string, digest = digestOf(body)): Write => ({
  op: "blob.put",
  tenant: 1,
  process,
  digest,
  body,
});

const putInParts = (process: number, text: string): Write[] =>
  splitText(text, digestOf(text)).map((stored) => ({ ...put(process, ""), ...stored }));

export function blobSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);
  const read = (text: string) => here.store.blob(1, digestOf(text));
  const all = async () => {
    const found: { digest: string; body: string | undefined }[] = [];
    for await (const blob of here.store.blobs()) found.push(blob);
    return found;
  };

  test("a text in parts is read as it was put, by its tenant and by who uses it", async () => {
    await here.store.commit([], [born(1), ...putInParts(1, shorter)]);

    expect(await read(shorter)).toBe(shorter);
    expect(await here.store.blobOf(1, digestOf(shorter))).toBe(shorter);
    expect(await here.store.blobOf(2, digestOf(shorter))).toBeUndefined();
    expect(await here.store.blob(2, digestOf(shorter))).toBeUndefined();
    for (const { digest, body } of await all()) expect(digestOf(body!)).toBe(digest);
  });

  test("compaction takes the parts that nobody else uses, and no other", async () => {
    await here.store.commit(
      [],
      [born(1), born(2), ...putInParts(1, shorter), ...putInParts(2, longer), ended(1)],
    );

    await here.store.compact([1]);

    expect(await read(shorter)).toBeUndefined();
    expect(await read(longer)).toBe(longer);
    const left = new Set((await all()).map(({ digest }) => digest));
    expect(left).toEqual(new Set(splitText(longer, digestOf(longer)).map(({ digest }) => digest)));
  });

  test("who puts a text whole keeps it when those who had it in parts are gone", async () => {
    await here.store.commit(
      [],
      [born(1), born(2), ...putInParts(1, shorter), put(2, shorter), ended(1)],
    );

    await here.store.compact([1]);

    expect(await read(shorter)).toBe(shorter);
  });

  test("who puts a text in parts has it when it was whole before", async () => {
    await here.store.commit([], [born(1), born(2), put(1, shorter), ended(1)]);
    await here.store.commit([], putInParts(2, shorter));

    await here.store.compact([1]);

    expect(await read(shorter)).toBe(shorter);
  });

  test("a text that lacks a part is missing", async () => {
    const stored = putInParts(1, shorter) as Extract<Write, { op: "blob.put" }>[];
    const gone = { ...stored[0]!, digest: digestOf("gone") };
    const list = {
      ...put(1, `${stored[1]!.digest} ${gone.digest}`, "list"),
      inParts: true as const,
    };
    await here.store.commit([], [born(1), ...stored, list]);

    expect(await here.store.blob(1, "list")).toBeUndefined();
    const lacking = (await all()).filter(({ body }) => body === undefined);
    expect(lacking.map(({ digest }) => digest)).toEqual(["list"]);
  });

  test("a list that leads back to itself is no text", async () => {
    await here.store.commit([], [born(1), { ...put(1, "loop", "loop"), inParts: true } as Write]);

    expect(await here.store.blob(1, "loop")).toBeUndefined();
  });

  const checkpoint = (seq: number, text: string) =>
    JSON.stringify({
      kind: "call",
      seq,
      call: "checkpoint",
      args: { state: { $blob: digestOf(text) } },
    });
  const putState = (process: number, seq: number, text: string): Write[] =>
    putInParts(process, text).map((write) => ({ ...write, state: seq }) as Write);
  /** A chain whose every record is a checkpoint, of these states. */
  const checkpoints = async (process: number, states: readonly string[]) => {
    const records = states.map((text, seq) => checkpoint(seq, text));
    await here.store.commit([extension(process, 0, records)], [born(process)]);
    for (const [seq, text] of states.entries())
      await here.store.commit([], putState(process, seq, text));
  };
  const there = async (states: readonly string[]) =>
    Promise.all(states.map(async (text) => (await read(text)) === text));
  const STATES = [900, 901, 902, 903, 904].map(stateOf);
  const span = { process: 1, tenant: 1, after: -1, upTo: 2 };

  test("STATE-DROP-1: of a span the first state stays, and all that come later; the others go, with their parts", async () => {
    await checkpoints(1, STATES);
    const before = (await all()).length;

    const dropped = await here.store.dropStates(span);

    expect(await there(STATES)).toEqual([true, false, false, true, true]);
    expect(dropped).toBeGreaterThan(1);
    expect((await all()).length).toBe(before - dropped);
    for (const { digest, body } of await all()) expect(digestOf(body!)).toBe(digest);
    expect(await here.store.missingBlobs()).toEqual([]);
    expect(await here.store.dropStates(span)).toBe(0);
  });

  test("STATE-DROP-1: so do those that a restart or a living fork begins from", async () => {
    const restart = JSON.stringify({ kind: "restart", seq: 5, from: 1 });
    await checkpoints(1, STATES);
    await here.store.commit([extension(1, 5, [restart])], []);
    await here.store.commit([], [forked(2, { from: 1, at: 2 }), patched(2, { base: 2 })]);

    await here.store.dropStates(span);

    expect(await there(STATES)).toEqual([true, true, true, true, true]);
  });

  test("STATE-DROP-2: what a record uses as well stays, and what another process has", async () => {
    await checkpoints(1, STATES);
    await here.store.commit([], [put(1, STATES[1]!), born(2), ...putState(2, 0, STATES[2]!)]);

    await here.store.dropStates(span);

    expect(await there(STATES)).toEqual([true, true, true, true, true]);
    expect(await here.store.blobOf(1, digestOf(STATES[2]!))).toBeUndefined();
  });
}
