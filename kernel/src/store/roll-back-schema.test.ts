import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { rollBackSchema } from "./roll-back-schema.ts";
import { SCHEMA_VERSION, steps } from "./schema.ts";
import { LOWEST_SCHEMA, undos } from "./schema-undo.ts";

function databaseOf(version: number): string {
  const folder = mkdtempSync(join(tmpdir(), "aos-schema-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "aos.db");
  const database = new DatabaseSync(file);
  database.exec("pragma synchronous = off"); // nobody pulls the plug
  database.exec("create table aos_version (version integer not null, applied_at text not null)");
  for (const step of steps.filter((one) => one.version <= version)) {
    for (const statement of step.statements("sqlite")) database.exec(statement);
    database.exec(`insert into aos_version values (${step.version}, '')`);
  }
  database.close();
  return file;
}

/** Columns of every table, and every index. */
function shapeOf(file: string): unknown {
  const database = new DatabaseSync(file);
  try {
    return database
      .prepare("select type, name, tbl_name from sqlite_master order by type, name")
      .all()
      .map((row) => [
        { ...row },
        row["type"] === "table"
          ? database
              .prepare(`select name, type from pragma_table_info('${String(row["name"])}')`)
              .all()
          : [],
      ]);
  } finally {
    database.close();
  }
}

test("every schema down to the lowest can be gone back to, and is then what that release made", async () => {
  for (let to = SCHEMA_VERSION - 1; to >= LOWEST_SCHEMA; to--) {
    const file = databaseOf(SCHEMA_VERSION);

    const taken = await rollBackSchema({ file }, to);

    expect(taken.length).toBe(SCHEMA_VERSION - to);
    expect(shapeOf(file)).toEqual(shapeOf(databaseOf(to)));
  }
});

test("the last step of the schema can be taken back", () => {
  expect(undos[0]!.version).toBe(SCHEMA_VERSION);
});

test("SCHEMA-UNDO-1, SCHEMA-UNDO-2: what a step back would lose stops it, and no step is taken back", async () => {
  const file = databaseOf(SCHEMA_VERSION);
  const before = shapeOf(file);
  const database = new DatabaseSync(file);
  database.exec("update tenant set ceiling = '[]' where id = 1");
  database.close();

  const refused = rollBackSchema({ file }, LOWEST_SCHEMA);

  await expect(refused).rejects.toThrow(/step 7 cannot be taken back: tenants have ceilings/);
  expect(shapeOf(file)).toEqual(before);
});

test("a schema that is there already, or below the lowest, is refused with the reason", async () => {
  const file = databaseOf(SCHEMA_VERSION);

  await expect(rollBackSchema({ file }, SCHEMA_VERSION)).rejects.toThrow(/nothing to take back/);
  await expect(rollBackSchema({ file }, LOWEST_SCHEMA - 1)).rejects.toThrow(/how money is kept/);
});
