// A PostgreSQL database as a mount, against a real server: pages, a SELECT, and nothing that writes.

import type { Json } from "@aos/protocol";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresMount } from "@aos/drivers/parts";
import { deviceContextForTest } from "../../helpers/drivers/device-context.ts";
import { tryPostgres } from "../../helpers/postgres.ts";

const server = await tryPostgres();
const why = "missing" in server ? server.missing : "";

describe.skipIf(why !== "")(`a PostgreSQL mount ${why}`, () => {
  let url: URL;
  const admin = async (text: string) => {
    const client = new Client({ connectionString: url.href });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(text);
    await client.end();
    return rows;
  };
  const mount = (
    more: { timeout?: number; port?: number; host?: string } = {},
    resolve?: (host: string) => Promise<string[]>,
  ) => postgresMount(declared(more), resolve);
  const declared = (more: object) =>
    ({
      name: "db",
      declaredBy: "config.yaml",
      declaration: {
        driver: "postgres",
        host: url.hostname,
        port: Number(url.port),
        database: url.pathname.slice(1),
        user: decodeURIComponent(url.username),
        schema: "public",
        ssl: false,
        ...(url.password === "" ? {} : { password: "PGPW" }),
        ...more,
      },
    }) as Parameters<typeof postgresMount>[0];
  const context = () =>
    deviceContextForTest({
      grants: ({ kind }) => kind === "secret",
      secrets: () => decodeURIComponent(url.password),
    });
  const select = (query: string, more: { limit?: number; cursor?: string } = {}) =>
    mount().search!({ call: "search", path: "", query, ...more }, context());

  beforeAll(async () => {
    if ("missing" in server) return;
    url = new URL((await server.createDatabase()).url);
    await admin("CREATE TABLE users (id int PRIMARY KEY, name text)");
    await admin("INSERT INTO users SELECT n, 'user ' || n FROM generate_series(5, 1, -1) AS n");
    await admin("CREATE SEQUENCE counter");
    await admin(
      "CREATE FUNCTION sneaky() RETURNS int LANGUAGE sql AS 'DELETE FROM users RETURNING 1'",
    );
  });
  afterAll(async () => {
    if (!("missing" in server)) await server.stop();
  });

  test("tables are files, and rows come in pages by the primary key", async () => {
    const listed = await mount().list({ call: "list", path: "" }, context());
    const first = await mount().read({ call: "read", path: "users", limit: 3 }, context());
    const second = await mount().read(
      { call: "read", path: "users", limit: 3, cursor: "3" },
      context(),
    );

    expect(listed).toEqual({ paths: ["users"], next: null });
    expect(first).toMatchObject({ rows: [{ id: 1 }, { id: 2 }, { id: 3 }], next: "3" });
    expect(second).toMatchObject({ rows: [{ id: 4 }, { id: 5, name: "user 5" }], next: null });
  });

  test("POSTGRES-MOUNT-4: a private address behind a name is asked of the gate, and then it is the one that is used", async () => {
    let lookups = 0;
    const resolve = async () => ((lookups += 1), [url.hostname]);
    const db = mount({ host: "db.example.com" }, resolve);
    const touch = { kind: "http", resource: `${url.hostname}:${url.port}/`, verb: "get" };
    const granting = deviceContextForTest({
      grants: ({ kind, resource }) => kind === "secret" || resource === touch.resource,
      secrets: () => decodeURIComponent(url.password),
    });

    const refused = db.list({ call: "list", path: "" }, context());
    await expect(refused).rejects.toMatchObject({ code: "EACCES" });
    const listed = await db.list({ call: "list", path: "" }, granting);

    expect(listed).toEqual({ paths: ["users"], next: null });
    expect(granting.asked).toContainEqual(touch);
    expect(lookups).toBe(2); // one each: nothing looks the name up again
  });

  test("POSTGRES-MOUNT-4: localhost has to be loopback, and a name without an address is EUPSTREAM", async () => {
    const listed = (host: string, addresses: string[]) =>
      mount({ host }, async () => addresses).list({ call: "list", path: "" }, context());

    await expect(listed("localhost", ["192.0.2.1"])).rejects.toMatchObject({ code: "EACCES" });
    await expect(listed("db.example.com", [])).rejects.toMatchObject({ code: "EUPSTREAM" });
    await expect(listed("db.example.com", ["169.254.169.254"])).rejects.toMatchObject({
      code: "EACCES",
    });
  });

  test("a SELECT is answered in pages", async () => {
    const first = await select("SELECT id FROM users ORDER BY id DESC;", { limit: 2 });
    const second = await select("SELECT id FROM users ORDER BY id DESC", { limit: 9, cursor: "2" });

    expect(first).toMatchObject({ found: [{ data: { id: 5 } }, { data: { id: 4 } }], next: "2" });
    expect(second.found).toHaveLength(3);
  });

  test.each([
    "DELETE FROM users",
    "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone",
    "SELECT 1; COMMIT; DELETE FROM users",
    "SELECT 1) AS q; DELETE FROM users; --",
    "SELECT sneaky()",
    "SELECT nextval('counter')",
    "SELECT * INTO other FROM users",
    "COPY users TO '/tmp/x'",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "SELECT 1 FOR UPDATE",
  ])("POSTGRES-MOUNT-1: %s changes nothing", async (query) => {
    const answer: Json | { code: string } = await select(query).then(
      () => ({ code: "none" }),
      (error: { code: string }) => ({ code: error.code }),
    );

    if (!query.endsWith("FOR UPDATE")) expect(answer).toEqual({ code: "EINVAL" });
    expect(await admin("SELECT count(*)::int AS n FROM users")).toEqual([{ n: 5 }]);
    expect(await admin("SELECT is_called FROM counter")).toEqual([{ is_called: false }]);
  });

  test("POSTGRES-MOUNT-2: a slow statement and a huge row are refused, and a page ends before it is too large", async () => {
    await expect(
      mount({ timeout: 500 }).search!(
        { call: "search", path: "", query: "SELECT pg_sleep(60)" },
        context(),
      ),
    ).rejects.toMatchObject({ code: "ETIMEDOUT" });
    await expect(select("SELECT repeat('x', 9000000) AS x")).rejects.toMatchObject({
      code: "EINVAL",
    });
    const page = await select("SELECT repeat('x', 3000000) AS x FROM generate_series(1, 5)");
    expect(page.found).toHaveLength(2);
    expect(page.next).toBe("2");
  });

  test("a server that is not there is EUPSTREAM, and an unknown table ENOENT", async () => {
    await expect(
      mount({ port: 1 }).list({ call: "list", path: "" }, context()),
    ).rejects.toMatchObject({ code: "EUPSTREAM" });
    await expect(mount().read({ call: "read", path: "none" }, context())).rejects.toMatchObject({
      code: "ENOENT",
    });
  });
});
