// A table of pgvector as a mount, against PostgreSQL with the extension: pages, rows, what is near, and what is left out.

import type { MountRequest } from "@aos/protocol";
import { pgvectorMount } from "@aos/drivers/parts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../helpers/drivers/device-context.ts";
import { startPgvector, type PgvectorServer } from "../../helpers/pgvector.ts";

type Declared = Parameters<typeof pgvectorMount>[0];

/** Where a text points: to the east if it speaks of cars, to the north if of ships. */
const embeddings = {
  model: "compass",
  egress: false,
  embed: async (texts: readonly string[]) =>
    texts.map((text) => [/car|petrol/.test(text) ? 1 : 0, /ship|sea/.test(text) ? 1 : 0, 0.1]),
};

let server: PgvectorServer;

beforeAll(async () => {
  server = await startPgvector();
  await server.execute(
    'CREATE TABLE facts (id int PRIMARY KEY, text text, embedding vector(3), year int, "Se""a" text)',
  );
  await server.execute(
    `INSERT INTO facts VALUES (1, 'cars need fuel', '[1, 0, 0]', 2026, 'x'),
       (2, 'ships need water', '[0, 1, 0]', 2025, NULL), (3, 'a thing', '[0, 0, 1]', NULL, NULL),
       (4, 'not yet embedded', NULL, NULL, NULL)`,
  );
  await server.execute("CREATE TABLE plain (id int, text text, embedding text)");
  await server.execute(`INSERT INTO plain VALUES (1, 'secret of another table', 'x')`);
  await server.execute("CREATE TABLE half (key text, note text, v halfvec(3), w vector(2))");
  await server.execute(
    `INSERT INTO half VALUES ('a', 'ships', '[0,2,0]', '[1,1]'), ('../b', 'ships', '[0,1,0]', NULL)`,
  );
});
afterAll(() => server.stop());

const mount = (more: Partial<Declared["declaration"]> = {}, embed = embeddings) =>
  pgvectorMount(
    {
      name: "facts",
      declaredBy: "config.yaml",
      declaration: {
        driver: "pgvector",
        host: "127.0.0.1",
        port: server.port,
        database: "postgres",
        user: "postgres",
        schema: "public",
        ssl: false,
        table: "facts",
        id: "id",
        text: "text",
        vector: "embedding",
        metric: "cosine",
        ...more,
      },
    },
    embed,
  );
const ask = (
  call: MountRequest["call"],
  path: string,
  more: Partial<MountRequest> = {},
  of = mount(),
) => of[call]!({ call, path, ...more }, deviceContextForTest({ grants: () => false }));

describe("a mount of a table of pgvector", () => {
  test("is listed by pages in the order of its ids", async () => {
    expect(await ask("list", "", { limit: 3 })).toEqual({ paths: ["1", "2", "3"], next: "3" });
    expect(await ask("list", "", { limit: 3, cursor: "3" })).toEqual({ paths: ["4"], next: null });
    await expect(ask("list", "", { cursor: "x" })).rejects.toMatchObject({ code: "EINVAL" });
    await expect(ask("list", "deeper")).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("PGVECTOR-MOUNT-2: a row is its id, its text and the other columns, without the vector", async () => {
    expect(await ask("read", "1")).toEqual({
      id: "1",
      text: "cars need fuel",
      data: { year: 2026, 'Se"a': "x" },
    });
    for (const id of ["9", "none", "1; DELETE FROM facts", "1' OR '1'='1"])
      await expect(ask("read", id)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test.each(["cosine", "l2", "inner"] as const)(
    "what is near by %s is found first, with a score",
    async (metric) => {
      const { found } = (await ask(
        "search",
        "",
        { query: "petrol", limit: 2 },
        mount({ metric }),
      )) as {
        found: { path: string; score: number; data: unknown }[];
      };

      expect(found).toHaveLength(2);
      expect(found[0]).toMatchObject({ path: "1", data: { id: "1", text: "cars need fuel" } });
      expect(found[0]!.score).toBeGreaterThan(found[1]!.score);
      for (const { score } of found) expect(score >= 0 && score <= 1).toBe(true);
    },
  );

  test("half vectors, other names of columns, and ids that are no names", async () => {
    const half = mount({ table: "half", id: "key", text: "note", vector: "v" });
    const page = await ask("list", "", {}, half);

    expect(page).toEqual({ paths: ["a"], next: null });
    expect(await ask("search", "", { query: "ship" }, half)).toMatchObject({
      found: [{ path: "a", data: { id: "a", text: "ships", data: {} } }],
    });
    expect(await ask("read", "a", {}, half)).toEqual({ id: "a", text: "ships", data: {} });
  });

  test("PGVECTOR-MOUNT-1: a declaration that does not fit the table is refused by name", async () => {
    const said = (more: Partial<Declared["declaration"]>) =>
      ask("search", "", { query: "ship" }, mount(more));

    await expect(said({ table: "none" })).rejects.toThrow("there is no table public.none");
    await expect(said({ table: 'facts"; DROP TABLE facts; --' })).rejects.toThrow("no table");
    await expect(said({ text: "words" })).rejects.toThrow("has no column words");
    await expect(said({ table: "plain" })).rejects.toThrow("is text, no vector");
    await expect(said({ port: 1 })).rejects.toMatchObject({ code: "EUPSTREAM" });
    expect(await server.execute("SELECT count(*)::int AS n FROM facts")).toEqual([{ n: 4 }]);
  });

  test("vectors of another length are refused by the server", async () => {
    const longer = { ...embeddings, embed: async () => [[1, 2]] };

    await expect(ask("search", "", { query: "ship" }, mount({}, longer))).rejects.toThrow(
      "expected 3 dimensions, not 2",
    );
  });

  test("PGVECTOR-MOUNT-2: a page of results ends before it is too large, and a huge row is refused", async () => {
    await server.execute("CREATE TABLE large (id int, text text, embedding vector(3))");
    await server.execute(
      "INSERT INTO large SELECT n, repeat('x', 3000000), '[0,1,0]' FROM generate_series(1, 4) AS n",
    );
    const large = mount({ table: "large" });
    const { found } = (await ask("search", "", { query: "ship" }, large)) as { found: unknown[] };
    expect(found).toHaveLength(2);

    await server.execute("UPDATE large SET text = repeat('x', 9000000)");
    await expect(ask("search", "", { query: "ship" }, large)).rejects.toMatchObject({
      code: "EINVAL",
    });
  });
});
