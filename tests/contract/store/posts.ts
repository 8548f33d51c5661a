// Posts: the outbox and the inbox. A row is added once and is one node's at a time; a link is used once.

import { expect, test } from "vitest";
import type { PostRow } from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";

const post = (id: string, more: Partial<PostRow> = {}): PostRow => ({
  id,
  tenant: 1,
  box: "out",
  target: "phone",
  kind: "failure",
  thread: "",
  subject: "agt_1",
  body: "",
  state: "waiting",
  attempts: 0,
  dueAt: 10,
  leaseUntil: 0,
  pid: null,
  error: null,
  createdAt: 10,
  settledAt: null,
  ...more,
});

export function postsSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);
  const take = (nowMs: number, limit = 10) =>
    here.store.takePosts({ box: "out", nowMs, leaseUntil: nowMs + 100, limit });

  test("a row is added once, and the first stays (POST-READS-1)", async () => {
    expect(await here.store.addPost(post("a"))).toBe(true);
    expect(await here.store.addPost(post("a", { kind: "goal" }))).toBe(false);

    expect(await here.store.posts({ limit: 9 })).toEqual([post("a")]);
  });

  test("a row that is due is taken by one, and again once its lease is over (POST-READS-2)", async () => {
    await here.store.addPost(post("a"));
    await here.store.addPost(post("later", { dueAt: 1000 }));
    await here.store.addPost(post("other box", { box: "in" }));
    await here.store.addPost(post("over", { state: "dead", settledAt: 10 }));

    const taken = await Promise.all(Array.from({ length: 8 }, () => take(20)));

    expect(taken.flat().map(({ id }) => id)).toEqual(["a"]);
    expect(await take(119)).toEqual([]);
    expect(await take(120)).toMatchObject([{ id: "a", attempts: 2 }]);
  });

  test("many who take many at once get each row once (POST-READS-2)", async () => {
    for (let n = 0; n < 30; n++) await here.store.addPost(post(`p${n}`));

    const taken = (await Promise.all(Array.from({ length: 10 }, () => take(20, 5)))).flat();

    expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length);
  });

  test("a change frees the lease, and one from another state changes nothing", async () => {
    await here.store.addPost(post("a"));
    await take(20);

    expect(await here.store.changePost("a", { dueAt: 20, error: "no" })).toBe(true);
    expect(await take(20)).toMatchObject([{ error: "no" }]);
    expect(await here.store.changePost("a", { state: "done", settledAt: 30 }, "waiting")).toBe(
      true,
    );
    expect(await here.store.changePost("a", { state: "dead" }, "waiting")).toBe(false);
    expect(await here.store.post("a")).toMatchObject({ state: "done", settledAt: 30 });
    await here.store.prunePosts(31);
    expect(await here.store.post("a")).toBeUndefined();
  });

  test("the posts before one of its thread are known", async () => {
    const inThread = { box: "in", thread: "t" } as const;
    await here.store.addPost(post("b", { ...inThread, createdAt: 11 }));
    await here.store.addPost(post("a", inThread));
    await here.store.addPost(post("c", { ...inThread, thread: "u", createdAt: 1 }));

    const [b] = await here.store.posts({ thread: "t", limit: 1 });
    expect(await here.store.postBefore(b!)).toBe("a");
    await here.store.changePost("a", { state: "done" });
    expect(await here.store.postBefore(b!)).toBeUndefined();
  });

  test("of many uses of a link one is the first (POST-READS-3)", async () => {
    const use = (person: string) => here.store.useLink({ question: "q", person, tenant: 1, at: 5 });

    const uses = await Promise.all([use("alice"), use("alice"), use("alice"), use("bob")]);

    expect(uses.filter(Boolean)).toHaveLength(2);
    expect(await here.store.usedLink("q", "alice")).toMatchObject({ at: 5 });
    await here.store.freeLink("q", "alice");
    expect(await use("alice")).toBe(true);
  });

  test("a mark never goes back", async () => {
    await here.store.setPostMark(1, "phone", 10);
    await here.store.setPostMark(1, "phone", 5);

    expect(await here.store.postMark(1, "phone")).toBe(10);
    expect(await here.store.postMark(2, "phone")).toBeUndefined();
  });
}
