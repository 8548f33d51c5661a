// Bytes of the database file itself are changed. Either the audit finds it, or the kernel refuses the
// file, or nothing that is kept was in that byte: then everything reads as before.

import { rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { inCopy, verify, writeHistory, type History } from "./history.ts";

const SAMPLES = inject("isDeep") ? 200 : 20;
/** What the audit answers for. */
const TABLES = ["journal", "process", "chain", "blob", "manifest"];

let history: History;
let whole: Buffer;
let pageSize: number;
let pages: number[];

beforeAll(async () => {
  history = await writeHistory();
  const file = join(history.folder, "aos.db");
  const database = new DatabaseSync(file);
  database.exec("pragma wal_checkpoint(truncate)");
  pageSize = Number(database.prepare("pragma page_size").get()!["page_size"]);
  pages = journalPages(database, await readFile(file));
  database.close();
  whole = await readFile(file);
});

afterAll(() => rmSync(history.folder, { recursive: true, force: true, maxRetries: 20 }));

/** The pages of the journal's tree, from its root down (https://sqlite.org/fileformat2.html). */
function journalPages(database: DatabaseSync, file: Buffer): number[] {
  const root = database.prepare("select rootpage from sqlite_schema where name = 'journal'").get()!;
  const found: number[] = [];
  const visit = (page: number) => {
    found.push(page);
    const start = (page - 1) * pageSize;
    if (file[start] !== 5) return; // a leaf
    const cells = file.readUInt16BE(start + 3);
    for (let cell = 0; cell < cells; cell++)
      visit(file.readUInt32BE(start + file.readUInt16BE(start + 12 + 2 * cell)));
    visit(file.readUInt32BE(start + 8));
  };
  visit(Number(root["rootpage"]));
  return found;
}

function dumpOf(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = TABLES.map((table) =>
      database.prepare(`select * from ${table} order by rowid`).all(),
    );
    return JSON.stringify(rows, (_name, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
    );
  } finally {
    database.close();
  }
}

test(`of ${SAMPLES} bytes in the pages of the journal, none can be changed unseen`, async () => {
  const before = dumpOf(join(history.folder, "aos.db"));
  let found = 0;
  let free = 0;

  for (let sample = 0; sample < SAMPLES; sample++) {
    const page = pages[sample % pages.length]!;
    const at = (page - 1) * pageSize + ((sample * 7919 + 13) % pageSize);
    await inCopy(history.folder, async (copy) => {
      const file = join(copy, "aos.db");
      await writeFile(file, whole.with(at, whole[at]! ^ (1 << (sample % 8))));
      const dump = tryTo(() => dumpOf(file));
      const report = await verify(copy).catch((error: unknown) => error as Error);

      const isFound = report instanceof Error || !report.ok;
      if (isFound) found += 1;
      else {
        expect({ at, dump }).toEqual({ at, dump: before });
        free += 1;
      }
    });
  }

  expect(found).toBeGreaterThan(SAMPLES / 4);
  expect(found + free).toBe(SAMPLES);
});

const tryTo = (work: () => string): string => {
  try {
    return work();
  } catch (error) {
    return String(error);
  }
};
