// Shrinking: what was freed goes back to the file system, of a database of any size, and leaves the
// connection as it was.

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test } from "vitest";
import { openSqliteStore, type SqliteStore } from "./sqlite-store.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const MEGABYTE = 1024 * 1024;

/** With so many megabytes of blobs that are gone again. */
async function storeWithout(megabytes: number): Promise<{ file: string; store: SqliteStore }> {
  const folder = mkdtempSync(join(tmpdir(), "aos-shrink-"));
  folders.push(folder);
  const file = join(folder, "aos.db");
  await openSqliteStore(file).close();
  const db = new DatabaseSync(file);
  const put = db.prepare("insert into blob (tenant, digest, body) values (1, ?, ?)");
  db.exec("begin");
  for (let nth = 0; nth < megabytes; nth++) put.run(`d${nth}`, "x".repeat(MEGABYTE));
  db.exec("commit; delete from blob");
  db.close();
  return { file, store: openSqliteStore(file) };
}

test.for([2, 24])("%i freed megabytes go back to the file system", async (megabytes) => {
  const { file, store } = await storeWithout(megabytes);
  const before = statSync(file).size;

  await store.shrink();

  expect(before).toBeGreaterThan(megabytes * MEGABYTE);
  expect(statSync(file).size).toBeLessThan(MEGABYTE);
  expect(await store.unreached()).toEqual([]); // by way of a table in memory
  await store.close();
});
