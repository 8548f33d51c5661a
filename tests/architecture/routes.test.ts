// What is written from the rows of the operations says what the rows say: a client that loads no schema asks for
// the same operations, and the help of the command line describes them.

import { expect, test } from "vitest";
import { routes } from "@aos/protocol";
import { operationHelp } from "@aos/protocol/help";
import { helpOfRows, routesOfRows } from "../../scripts/routes/render.ts";

test("protocol/src/route-table.ts is what `npm run routes` writes", () => {
  expect(routes).toEqual(routesOfRows());
  expect(Object.keys(routes)).toEqual(Object.keys(routesOfRows()));
});

test("protocol/src/operation-help.ts is what `npm run routes` writes", () => {
  expect(operationHelp).toEqual(helpOfRows());
});
