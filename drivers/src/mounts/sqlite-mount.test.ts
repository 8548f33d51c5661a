import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { sqliteMount } from "./sqlite-mount.ts";

let file: string;
beforeEach(() => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "aos-sqlite-")));
  onTestFinished(() => rmSync(top, { recursive: true }));
  file = join(top, "a.db");
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, big BLOB)");
  for (const name of ["Ada", "Grace", "Linus"])
    database.prepare("INSERT INTO users (name) VALUES (?)").run(name);
  database.close();
  const other = new DatabaseSync(join(top, "other.db"));
  other.exec("CREATE TABLE secrets (text)");
  other.close();
});

const mount = (timeout?: number) =>
  sqliteMount({
    name: "db",
    declaredBy: "config.yaml",
    declaration: { driver: "sqlite", file, ...(timeout === undefined ? {} : { timeout }) },
  });

const nobody = () => deviceContextForTest({ grants: () => false });
const select = (query: string, timeout?: number) =>
  mount(timeout).search!({ call: "search", path: "", query }, nobody());

test("tables are files, and their rows come in pages", async () => {
  const listed = await mount().list({ call: "list", path: "" }, nobody());
  const first = await mount().read({ call: "read", path: "users", limit: 2 }, nobody());
  const second = await mount().read(
    { call: "read", path: "users", limit: 2, cursor: "2" },
    nobody(),
  );

  expect(listed).toEqual({ paths: ["users"], next: null });
  expect(first).toMatchObject({ rows: [{ id: 1, name: "Ada" }, { name: "Grace" }], next: "2" });
  expect(second).toMatchObject({ rows: [{ name: "Linus" }], next: null });
});

test("words are found in a table, and a SELECT is answered", async () => {
  const words = await mount().search!({ call: "search", path: "users", query: "grace" }, nobody());
  const rows = await select("SELECT count(*) AS n FROM users;");

  expect(words.found).toMatchObject([{ path: "users", data: { name: "Grace" } }]);
  expect(rows.found).toMatchObject([{ data: { n: 3 } }]);
});

describe("SQLITE-MOUNT-1: nothing is written, attached or set", () => {
  test.each([
    "DELETE FROM users",
    "INSERT INTO users (name) VALUES ('x') RETURNING id",
    "WITH x AS (SELECT 1) DELETE FROM users",
    "SELECT 1); DELETE FROM users; --",
    "SELECT 1; DROP TABLE users",
    "ATTACH 'other.db' AS o",
    "PRAGMA journal_mode = DELETE",
    "SELECT * FROM pragma_database_list",
    "SELECT load_extension('x')",
    "SELECT writefile('x', 'y')",
    "VACUUM INTO '/tmp/x'",
  ])("%s", async (query) => {
    const before = readFileSync(file);

    await expect(select(query)).rejects.toMatchObject({ code: "EINVAL" });

    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

test("a statement that does not end is stopped when its time is up", async () => {
  const endless =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n";

  await expect(select(endless, 500)).rejects.toMatchObject({ code: "ETIMEDOUT" });
});

test("SQLITE-MOUNT-2: a page ends before it is too large, and a row that is too large alone is refused", async () => {
  const database = new DatabaseSync(file);
  database.exec("UPDATE users SET name = printf('%.*c', 5000000, 'x')");
  database.close();

  const page = await mount().read({ call: "read", path: "users" }, nobody());
  const huge = select("SELECT printf('%.*c', 9000000, 'x') AS x");

  expect(page).toMatchObject({ next: "1" });
  await expect(huge).rejects.toMatchObject({ code: "EINVAL" });
});

test("what is not there is ENOENT, and a file that is no database an error", async () => {
  await expect(mount().read({ call: "read", path: "none" }, nobody())).rejects.toMatchObject({
    code: "ENOENT",
  });
  await expect(
    mount().read({ call: "read", path: "sqlite_schema" }, nobody()),
  ).rejects.toMatchObject({ code: "ENOENT" });
});
