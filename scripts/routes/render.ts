// The table of routes, and the help of the operations, as they follow from the rows of protocol/src/operations.

import type { z } from "zod";
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

interface OperationHelp {
  readonly summary: string;
  readonly args: Readonly<Record<string, string>>;
}

/** What the help of the command line says of an operation and of its arguments. */
export const helpOfRows = (): Record<string, OperationHelp> =>
  Object.fromEntries(Object.entries(operations).map(([name, row]) => [name, helpOf(row)]));

function helpOf({ summary, params, query, body }: Operation): OperationHelp {
  const fields = Object.entries({ ...params.shape, ...query.shape, ...body.shape });
  const described = fields.flatMap(([name, schema]) => {
    const { description } = schema as z.ZodType;
    return description === undefined ? [] : [[name, description] as const];
  });
  return { summary, args: Object.fromEntries(described) };
}

export const renderHelp =
  (): string => `// Written by \`npm run routes\` from the rows of protocol/src/operations. Not to be edited.

export const operationHelp = ${JSON.stringify(helpOfRows())} as const;
`;
