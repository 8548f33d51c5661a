// Blobs: texts that are stored in parts, which others may share.

import { expect, test } from "vitest";
import { digestOf } from "../../../kernel/src/journal/digest.ts";
import { divide } from "../../../kernel/src/journal/parts.ts";
import type { Write } from "../../../kernel/src/store/contract.ts";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended } from "./rows.ts";

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
  divide(text, digestOf(text)).map((stored) => ({ ...put(process, ""), ...stored }));

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
    expect(left).toEqual(new Set(divide(longer, digestOf(longer)).map(({ digest }) => digest)));
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
}
