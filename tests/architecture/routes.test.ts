// The table of routes says what the rows say: a client that loads no schema asks for the same operations.

import { expect, test } from "vitest";
import { routes } from "@aos/protocol";
import { routesOfRows } from "../../scripts/routes/render.ts";

test("protocol/src/route-table.ts is what `npm run routes` writes", () => {
  expect(routes).toEqual(routesOfRows());
  expect(Object.keys(routes)).toEqual(Object.keys(routesOfRows()));
});
