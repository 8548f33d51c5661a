// Nodes: several on one PostgreSQL. They hold processes by lease, and hear from each other.

import { describe, expect, test, vi } from "vitest";
import { openStore, locks, payloads } from "@aos/kernel/store";
import type { PostgresServer } from "../../helpers/postgres.ts";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended, extension, fileRow, forked, textsOf } from "./rows.ts";

const spendRow = (what: string) => ({
  tenant: 1,
  hour: 0,
  agent: "tester",
  root: 1,
  what,
  microUsd: 0,
  tokens: 0,
  toolCalls: 1,
  calls: 1,
  unpriced: 0,
  overMicroUsd: 0,
  overTokens: 0,
});

const blobOf = (process: number) =>
  ({ op: "blob.put", tenant: 1, process, digest: "d", body: "body" }) as const;

export function nodesSuite(newDatabase: NewDatabase, server: PostgresServer): void {
  const here = storeForEachTest(newDatabase);

  /** Another node in the middle of a transaction: it has done this, and does the rest after half a second. */
  const underWay = async (sql: string, rest = "") => {
    const done = here.database.execute(`${sql}; select pg_sleep(0.5); ${rest}`);
    const asleep =
      "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()";
    await vi.waitFor(async () => expect(await here.database.execute(asleep)).toHaveLength(1));
    return { done };
  };

  test("several nodes can open a new database at once", async () => {
    const { url } = await server.createDatabase();

    const stores = await Promise.all([1, 2, 3, 4].map(() => openStore({ url })));

    expect(await Promise.all(stores.map((store) => store.tenantKey("default")))).toEqual([
      1, 1, 1, 1,
    ]);
    await Promise.all(stores.map((store) => store.close()));
  });

  describe("lease", () => {
    test("processes of a node that is alive are left to it; those of one that is not are taken", async () => {
      const [a, b] = [here.store, await here.open()];
      await a.renewNode("a", 10_000);
      await a.commit([], [born(1, {}, "a")]);

      expect(await b.claim("b", 9_999)).toEqual([]);
      expect(await b.claim("b", 10_000)).toEqual([1]);

      expect(await b.chain(1)).toMatchObject({ node: "b", epoch: 2 });
      expect((await a.commit([extension(1, 0, ["late"])], [])).fenced).toEqual([1]);
    });

    test("a node sees the others that are alive, and which of them must be alone", async () => {
      await here.store.renewNode("a", 10_000, true);
      await here.store.renewNode("b", 20_000);

      expect(await here.store.otherNodes("b", 9_999)).toEqual([{ name: "a", isAlone: true }]);
      expect(await here.store.otherNodes("b", 10_000)).toEqual([]);
      await here.store.renewNode("a", 30_000);
      expect(await here.store.otherNodes("b", 10_000)).toEqual([{ name: "a", isAlone: false }]);
    });

    test("a lease that is renewed holds on, and one that is dropped ends at once", async () => {
      const b = await here.open();
      await here.store.renewNode("a", 10_000);
      await here.store.renewNode("a", 20_000);
      await here.store.commit([], [born(1, {}, "a")]);

      expect(await b.claim("b", 15_000)).toEqual([]);
      await here.store.dropNode("a");
      expect(await b.claim("b", 15_000)).toEqual([1]);
    });

    test("a later claim leaves alone what the node holds, and names only what it took", async () => {
      await here.store.renewNode("b", 99_000);
      await here.store.claim("b", 10_000);
      await here.store.commit([], [born(1, {}, "b"), born(2, {}, "gone")]);

      expect(await here.store.claim("b", 10_000)).toEqual([2]);

      expect((await here.store.chain(1))?.epoch).toBe(1);
    });

    test("of several nodes that claim at once, one gets each process", async () => {
      const stores = [here.store, await here.open(), await here.open()];
      await Promise.all(stores.map((store, nth) => store.renewNode(`n${nth}`, 99_000)));
      await here.store.commit(
        [],
        Array.from({ length: 50 }, (_, nth) => born(nth + 1, {}, "gone")),
      );

      const taken = await Promise.all(stores.map((store, nth) => store.claim(`n${nth}`, 10_000)));

      expect(taken.flat().length).toBe(50);
      for (const key of taken.flat()) expect((await here.store.chain(key))?.epoch).toBe(2);
    });

    test("an append that finds a takeover under way waits for it, and is then refused", async () => {
      await here.store.commit([], [born(1, {}, "a")]);
      const takeover = await underWay("update chain set node = 'b', epoch = 2");

      const { fenced } = await here.store.commit([extension(1, 0, ["late"])], []);

      expect(fenced).toEqual([1]);
      expect(await textsOf(here.store, 1)).toEqual([]);
      await takeover.done;
    });

    test("a takeover in the middle of appending comes before or after each batch, never within", async () => {
      const [a, b] = [here.store, await here.open()];
      const keys = Array.from({ length: 30 }, (_, nth) => nth + 1);
      await a.commit(
        [],
        keys.map((key) => born(key, {}, "a")),
      );
      const appending = (async () => {
        for (let seq = 0; ; seq++) {
          const writes = (key: number) => [
            { op: "file.put", row: fileRow("/last", String(seq), { space: key }) } as const,
          ];
          const { fenced } = await a.commit(
            keys
              .toReversed()
              .map((key) => extension(key, seq, [`${seq}`], { writes: writes(key) })),
            [],
          );
          if (fenced.length > 0) return fenced.length;
        }
      })();
      await vi.waitFor(async () => expect((await b.chain(1))!.seq).toBeGreaterThan(3));

      await b.claim("b", 10_000);

      expect(await appending).toBe(30);
      for (const key of keys) {
        const { seq, epoch } = (await b.chain(key))!;
        expect(epoch).toBe(2);
        expect((await textsOf(b, key)).at(-1)).toBe(`${seq}`);
        expect((await b.file(1, key, "/last"))?.data).toBe(`${seq}`);
      }
    });
  });

  test("a commit that lost against another transaction is made again", async () => {
    await here.store.commit([], [born(1), born(2)]);
    const other = await underWay(
      "update chain set micro_usd = 1 where process = 2",
      "update chain set micro_usd = 1 where process = 1",
    );

    const { fenced } = await here.store.commit(
      [1, 2].map((key) => extension(key, 0, ["zero"])),
      [],
    );

    await other.done;
    expect(fenced).toEqual([]);
    expect(await here.store.chain(1)).toMatchObject({ seq: 0, microUsd: 1 });
    expect(await here.store.chain(2)).toMatchObject({ seq: 0, microUsd: 1 });
  });

  test("what was given behind a batch that is refused in part is written after the rest of that batch", async () => {
    await here.store.commit([], [born(1), born(2), born(3), born(4)]);
    await here.store.commit([extension(4, 0, ["the connection is there"])], []);
    const place = (await here.store.placeOf(4, 0))!;

    const results = await Promise.all([
      here.store.commit([extension(1, 0, ["old"], { epoch: 9 }), extension(2, 0, ["first"])], []),
      here.store.commit([extension(3, 0, ["second"]), extension(4, 1, ["second"])], []),
      here.store.commit([extension(3, 1, ["third"])], []),
      here.store.commit([extension(3, 2, ["fourth"])], [born(5)]),
      here.store.commit([extension(5, 0, ["fifth"])], []),
    ]);

    expect(results.map(({ fenced }) => fenced)).toEqual([[1], [], [], [], []]);
    const written = await here.store.writtenAfter(place, 10);
    const order = "first second second third fourth fifth";
    expect(written.map(({ text }) => text).join(" ")).toBe(order);
  });

  test("nodes that write the same things in different order both get through", async () => {
    const [a, b] = [here.store, await here.open()];
    const paths = Array.from({ length: 40 }, (_, nth) => `/mem/shared/${nth}`);
    const put = (path: string) =>
      ({ op: "file.put", row: fileRow(path, "1", { space: 0 }) }) as const;

    const commits = Array.from({ length: 10 }, () => [
      a.commit([], paths.map(put)),
      b.commit([], paths.toReversed().map(put)),
    ]);

    await expect(Promise.all(commits.flat())).resolves.toHaveLength(20);
  });

  test.each(["read committed", "repeatable read"])(
    "nodes that add to the same rows of spend in different order both get through, where a database begins with %s",
    async (isolation) => {
      const { url, execute } = await server.createDatabase();
      const name = new URL(url).pathname.slice(1);
      await execute(`alter database ${name} set default_transaction_isolation = '${isolation}'`);
      const stores = await Promise.all([openStore({ url }), openStore({ url })]);
      await stores[0]!.commit([], [born(1), born(2)]);
      const spend = Array.from({ length: 40 }, (_, nth) => spendRow(`tool:${nth}`));

      const rounds = stores.map(async (store, nth) => {
        for (let seq = 0; seq < 20; seq++) {
          const rows = nth === 0 ? spend : spend.toReversed();
          const more = { toolCalls: spend.length, spend: rows };
          const { fenced } = await store.commit([extension(nth + 1, seq, [`${seq}`], more)], []);
          expect(fenced).toEqual([]);
        }
      });
      await Promise.all(rounds);

      const balance = await stores[0]!.spendBalance();
      expect(balance.rows).toMatchObject({ toolCalls: 1600 });
      expect(balance.chains).toEqual(balance.rows);
      await Promise.all(stores.map((store) => store.close()));
    },
  );

  test("a schema of its own serves a role that may create nothing there", async () => {
    const { url, execute } = await server.createDatabase();
    await execute("create schema agents");
    const inSchema = new URL(url);
    inSchema.searchParams.set("options", "-c search_path=agents");
    await (await openStore({ url: inSchema.href })).close();
    await execute(
      `drop role if exists clerk; create role clerk login password 'clerk'; grant usage on schema agents to clerk;
       grant select, insert, update, delete on all tables in schema agents to clerk`,
    );
    [inSchema.username, inSchema.password] = ["clerk", "clerk"];

    const store = await openStore({ url: inSchema.href });
    await store.commit([], [born(1)]);
    const { fenced } = await store.commit([extension(1, 0, ["zero"])], []);

    expect(fenced).toEqual([]);
    expect(await textsOf(store, 1)).toEqual(["zero"]);
    await store.close();
  });

  test("a compaction that finds a blob being used anew leaves it", async () => {
    await here.store.commit([], [born(1), blobOf(1), ended(1)]);
    const commit = await underWay(
      `select pg_advisory_xact_lock_shared(${locks.blobs}); insert into blob_use values (1, 'd', 2)`,
    );

    await here.store.compact([1]);

    expect(await here.store.blob(1, "d")).toBe("body");
    await commit.done;
  });

  test("a blob that is used anew while its last user is compacted is not lost", async () => {
    const [a, b] = [here.store, await here.open()];
    await a.commit([], [born(1), blobOf(1), ended(1)]);

    for (let key = 2; key < 40; key++) {
      await Promise.all([a.commit([], [born(key), blobOf(key), ended(key)]), b.compact([key - 1])]);
      expect(await a.blob(1, "d")).toBe("body");
    }
  });

  test("a fork that comes while its history is compacted either has it or is refused", async () => {
    const [a, b] = [here.store, await here.open()];
    for (let key = 1; key < 40; key += 2) {
      await a.commit([extension(key, 0, ["zero"], { writes: [ended(key)] })], [born(key)]);

      const forking = a.commit([], [forked(key + 1, { from: key, at: 0 })]).then(
        () => true,
        () => false,
      );
      const [there, { records }] = await Promise.all([forking, b.compact([key])]);

      expect(records).toBe(there ? 0 : 1);
      expect(await textsOf(b, key + 1)).toEqual(there ? ["zero"] : []);
    }
  });

  describe("hints", () => {
    test("go to the other nodes, not to the one that gave them", async () => {
      const [a, b] = [here.store, await here.open()];
      const heard = { a: vi.fn(), b: vi.fn() };
      await a.listen(heard.a);
      await b.listen(heard.b);

      await Promise.all([a.notify([3]), a.notify([5]), a.notify([3])]); // together: told together
      await b.notify([7]);

      await vi.waitFor(() => expect(heard.a).toHaveBeenCalledWith([7]));
      expect(heard.b.mock.calls).toEqual([[[3, 5]]]);
      expect(heard.a.mock.calls).toEqual([[[7]]]);
    });

    test("for very many processes arrive in parts", async () => {
      const heard: number[] = [];
      const keys = Array.from({ length: 5000 }, (_, nth) => Number.MAX_SAFE_INTEGER - nth);
      const b = await here.open();
      await b.listen((some) => heard.push(...some));

      await here.store.notify(keys);

      await vi.waitFor(() => expect(heard).toHaveLength(5000));
      expect(heard).toEqual(keys);
      expect(Math.max(...payloads("x".repeat(36), keys).map((text) => text.length))).toBeLessThan(
        7000,
      );
    });

    test("that were lost with the connection are made up for after it", async () => {
      const heard: number[] = [];
      await here.store.claim("a", 10_000);
      await here.store.listen((keys) => heard.push(...keys));
      await here.store.commit([], [born(1)]);

      await here.database.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen aos_wake' and datname = current_database()",
      );

      await vi.waitFor(() => expect(heard).toContain(1), { timeout: 120_000 });
      const b = await here.open();
      await b.notify([42]);
      await vi.waitFor(() => expect(heard).toContain(42));
    });
  });

  describe("trouble", () => {
    test("a server that is not there is named, without the password", async () => {
      const opening = openStore({ url: "postgres://me:hunter2@127.0.0.1:1/db" });

      const error = await opening.catch((error: unknown) => error);

      expect(error).toMatchObject({
        code: "ESTORE",
        message: expect.stringContaining("the database db at 127.0.0.1:1 does not answer: "),
      });
      expect(JSON.stringify(error) + String(error)).not.toContain("hunter2");
    });

    test("a wrong password is said to be refused", async () => {
      const url = new URL(server.url);
      url.password = "hunter2";

      await expect(openStore({ url: url.href })).rejects.toMatchObject({
        code: "ESTORE",
        message: expect.stringContaining("refuses us"),
      });
    });

    test("a text that is no address is said to be none", async () => {
      const error = await openStore({ url: "postgres://me:hunter2@[::bad" }).catch(
        (error: unknown) => error,
      );

      expect(error).toMatchObject({ code: "ESTORE" });
      expect(JSON.stringify(error) + String(error)).not.toContain("hunter2");
    });

    test("a database that acknowledges before it has written is refused", async () => {
      const { url, execute } = await server.createDatabase();
      await execute(
        `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`,
      );

      await expect(openStore({ url })).rejects.toMatchObject({
        code: "ESTORE",
        message: expect.stringContaining("synchronous_commit is off"),
      });
    });

    test("clients that were cut off are replaced", async () => {
      await here.store.commit([], [born(1)]);
      await here.database.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'agent-os' and datname = current_database()",
      );

      await vi.waitFor(async () => expect(await here.store.allKeys()).toEqual([1]));

      expect((await here.store.commit([extension(1, 0, ["zero"])], [])).fenced).toEqual([]);
    });
  });
}
