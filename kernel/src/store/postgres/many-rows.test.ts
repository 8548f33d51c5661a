import { expect, test } from "vitest";
import { manyRows } from "./many-rows.ts";

test("rows of one table are inserted together, each once and in their order", () => {
  const insert = "insert into a (x, y) values (?, ?)";
  const rows = Array.from({ length: 23 }, (_, nth) => nth);

  const statements = manyRows(
    rows.flatMap((nth) => [
      [insert, [nth, "y"]],
      ["insert into b values (?, 1)", [nth]],
    ]),
  );

  const rowsOf = (sql: string) => sql.split(" values ")[1]!.split("), (").length;
  expect(statements.map(([sql]) => rowsOf(sql))).toEqual([16, 4, 1, 1, 1, 16, 4, 1, 1, 1]);
  const [ofA, ofB] = [statements.slice(0, 5), statements.slice(5)];
  expect(ofA.flatMap(([, values]) => values)).toEqual(rows.flatMap((nth) => [nth, "y"]));
  expect(ofB.flatMap(([, values]) => values)).toEqual(rows);
  expect(statements[1]![0]).toBe(`${insert}, (?, ?), (?, ?), (?, ?)`);
});

test("one row is the statement that it was", () => {
  const one = ["insert into a (x) values (?)", [1]] as const;

  expect(manyRows([one])).toEqual([one]);
});
