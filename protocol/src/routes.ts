// Routes: the path and method of each operation by name: what a client needs of the rows, without their schemas. `npm
// run routes` writes the table (route-table.ts) from the rows.
//
//   path     below API_ROOT. `:name` is filled from the arguments; the others travel in the query of
//            a GET and in the JSON body of a POST.
//   streams  the answer is one JSON value a line; a last line {"error": …} is a failure.
//   paths    the arguments that are machine paths.

import { routes } from "./route-table.ts";

export { routes };

export const API_ROOT = "/api/v1";

/** The most that a request may carry. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

export interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly streams: boolean;
  readonly paths: readonly string[];
}

export type OperationName = keyof typeof routes;

export const operationNames = Object.keys(routes) as OperationName[];
