// The table of routes as it follows from the rows of protocol/src/operations.

import { operations } from "../../protocol/src/operations/index.ts";
import type { Operation } from "../../protocol/src/operations/operation.ts";
import type { Route } from "../../protocol/src/routes.ts";

export const routesOfRows = (): Record<string, Route> =>
  Object.fromEntries(Object.entries(operations).map(([name, row]) => [name, routeOf(row)]));

const routeOf = ({ method, path, streams, paths }: Operation): Route => ({
  method,
  path,
  streams,
  paths,
});

export const renderRoutes =
  (): string => `// Written by \`npm run routes\` from the rows of protocol/src/operations. Not to be edited.

export const routes = ${JSON.stringify(routesOfRows())} as const;
`;
