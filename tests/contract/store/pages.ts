// Pages: all records of a process, some at a time (kernel/src/store/record-pages.ts).

import { expect, test } from "vitest";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended, extension, forked, hashOf, hex } from "./rows.ts";

const numbered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, nth) => `record ${from + nth}`);

export function pagesSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);

  async function read(key: number) {
    const texts: string[] = [];
    let hashes = "";
    let pages = 0;
    for await (const page of here.store.recordPages(key)) {
      expect(page.first).toBe(texts.length);
      texts.push(...page.texts);
      hashes += hex(page.hashes);
      pages += 1;
    }
    return { texts, hashes, pages };
  }

  test("they are all of its records with their hashes, in order, whether others wrote in between", async () => {
    const texts = numbered(1300);
    await here.store.commit([extension(1, 0, texts)], [born(1), born(2), born(3)]);
    for (let seq = 0; seq < 700; seq += 70)
      await here.store.commit(
        [extension(2, seq, numbered(70, seq)), extension(3, seq / 70, ["another's"])],
        [],
      );

    const [alone, between] = [await read(1), await read(2)];

    expect(alone).toEqual({
      texts,
      hashes: texts.map((text) => hex(hashOf(text))).join(""),
      pages: 3,
    });
    expect(between.texts).toEqual(numbered(700));
    expect(between.hashes).toBe(between.texts.map((text) => hex(hashOf(text))).join(""));
  });

  test("a fork has those that it shares, and nobody has none", async () => {
    const texts = numbered(20);
    await here.store.commit([extension(1, 0, texts)], [born(1)]);
    await here.store.commit([], [forked(2, { from: 1, at: 9 }, hashOf(texts[9]!))]);
    await here.store.commit([extension(2, 10, ["its own"])], []);

    expect((await read(2)).texts).toEqual([...texts.slice(0, 10), "its own"]);
    expect(await read(9)).toEqual({ texts: [], hashes: "", pages: 0 });
  });

  test("what is written while they are read is not among them", async () => {
    await here.store.commit([extension(1, 0, numbered(600))], [born(1)]);
    const pages = here.store.recordPages(1)[Symbol.asyncIterator]();
    const first = (await pages.next()).value!;
    await here.store.commit([extension(1, 600, ["later"])], []);

    const second = (await pages.next()).value!;

    expect(first.texts.length + second.texts.length).toBe(600);
    expect((await pages.next()).done).toBe(true);
  });

  test("a history that is compacted while it is read is said to be gone", async () => {
    await here.store.commit([extension(1, 0, numbered(2000))], [born(1), ended(1)]);
    const pages = here.store.recordPages(1)[Symbol.asyncIterator]();
    await pages.next();
    await here.store.compact([1]);

    const rest = (async () => {
      while ((await pages.next()).done !== true);
    })();

    await expect(rest).rejects.toMatchObject({ code: "ESTATE" });
  });
}
