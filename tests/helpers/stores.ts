// The databases that a test runs on: SQLite in a file of its own, and PostgreSQL in a database of its own.
//
//   describe.each(stores)("on $name", ({ newStore }) => { … await newStore() … })
//
// The server is started once for a file, when its first test needs it.

import { afterAll } from "vitest";
import { startPostgres, type PostgresServer } from "./postgres.ts";

export type StoreLocation = { readonly file: string } | { readonly url: string };

export interface TestStore {
  readonly name: "SQLite" | "PostgreSQL";
  /** A new, empty database; undefined where a home has it as a file. */
  readonly newStore: () => Promise<{ readonly url: string } | undefined>;
}

let server: Promise<PostgresServer> | undefined;

export const sqlite: TestStore = { name: "SQLite", newStore: async () => undefined };

export const postgres: TestStore = {
  name: "PostgreSQL",
  async newStore() {
    server ??= startPostgres();
    const { url } = await (await server).createDatabase();
    return { url };
  },
};

export const stores: readonly TestStore[] = [sqlite, postgres];

afterAll(async () => {
  await server?.then(
    (running) => running.stop(),
    () => {},
  );
});
