// Two threads: commits of the caller's own thread and of the store's, in any order (kernel/src/store/sqlite/thread.ts).

import { expect, test } from "vitest";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, extension } from "./rows.ts";

export function threadsSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);
  const texts = async (key: number) => (await here.store.records(key)).map(({ text }) => text);
  const now = (key: number, seq: number, text: string) =>
    here.store.commitNow!([extension(key, seq, [text])], []);
  const later = (key: number, seq: number, text: string) =>
    here.store.commit([extension(key, seq, [text])], []);

  test("SQLITE-THREAD-1: nothing is written at once while the thread has a question", async () => {
    await here.store.commit([], [born(1)]);

    const asking = later(1, 0, "zero");
    const refused = now(1, 1, "one");
    await asking;
    const taken = now(1, 1, "one");

    expect(refused).toBeUndefined();
    expect(taken).toEqual({ fenced: [] });
    expect(await texts(1)).toEqual(["zero", "one"]);
  });

  test("SQLITE-THREAD-2: each goes on from the other, in any order, and places only grow", async () => {
    await here.store.commit([], [born(1), born(2)]);
    let seq = 0;

    for (const turn of "nnlnllnnnlnl") {
      if (turn === "n") now(1, seq, `${seq}`);
      else await later(1, seq, `${seq}`);
      seq++;
    }
    now(2, 0, "another's");

    const written = await here.store.writtenAfter(0, 100);
    expect(await texts(1)).toEqual(Array.from({ length: seq }, (_, nth) => `${nth}`));
    expect(written.map(({ text }) => text)).toEqual([...(await texts(1)), "another's"]);
  });

  test("SQLITE-THREAD-2: what was compacted leaves its places to nobody, whoever writes next", async () => {
    await here.store.commit([], [born(1), born(2, { state: "completed", endedAt: 5 })]);
    now(1, 0, "zero");
    await later(2, 0, "old");
    const before = await here.store.placeOf(2, 0);
    await here.store.compact([2]);

    now(1, 1, "one");
    await later(1, 2, "two");

    expect(await here.store.placeOf(1, 1)).toBe(before! + 1);
    expect(await texts(1)).toEqual(["zero", "one", "two"]);
  });

  test("STORE-2: a chain that another has is refused at once as well, with the rest of its batch let through", async () => {
    await here.store.commit([extension(1, 0, ["zero"])], [born(1), born(2)]);

    const result = here.store.commitNow!(
      [extension(1, 1, ["late"], { epoch: 0 }), extension(2, 0, ["mine"])],
      [],
    );

    expect(result).toEqual({ fenced: [1] });
    expect(await texts(1)).toEqual(["zero"]);
    expect(await texts(2)).toEqual(["mine"]);
  });

  test("what was written at once is there after the next opening", async () => {
    await here.store.commit([], [born(1)]);
    now(1, 0, "zero");

    await here.close(here.store);
    const again = await here.open();

    expect((await again.records(1)).map(({ text }) => text)).toEqual(["zero"]);
  });

  test("what was freed is given back while the caller has a connection as well", async () => {
    await here.store.commit([], [born(1), born(2)]);
    now(1, 0, "x".repeat(300_000));
    await later(2, 0, "zero");

    await here.store.shrink();
    now(2, 1, "one");
    await here.store.shrink();

    expect(await texts(2)).toEqual(["zero", "one"]);
  });

  test("SQLITE-STORE-1: no other program reads or writes the file, whichever thread was the last to write", async () => {
    await here.store.commit([], [born(1)]);
    await expect(here.database.execute("select * from chain")).rejects.toThrow(/locked/);
    now(1, 0, "zero");

    await expect(here.database.execute("select * from chain")).rejects.toThrow(/locked/);
    await expect(here.database.execute("delete from chain")).rejects.toThrow(/locked/);
    expect(await texts(1)).toEqual(["zero"]);
  });

  test("SQLITE-STORE-1: a second store on the file is refused, and the first goes on", async () => {
    await here.store.commit([], [born(1)]);
    now(1, 0, "zero");

    await expect(here.open()).rejects.toMatchObject({
      code: "ESTORE",
      message: expect.stringContaining("in use by another"),
    });

    await later(1, 1, "one");
    expect(await texts(1)).toEqual(["zero", "one"]);
  });
}
