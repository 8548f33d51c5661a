// Open: the store that was asked for. PostgreSQL's client is loaded only by those who use it.

import type { HintBroker } from "@aos/protocol";
import type { OpenedStore } from "./mail-reports.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { openSqliteThread } from "./sqlite/thread.ts";

export type StoreLocation =
  | "memory"
  | { readonly file: string }
  /** `hints` carries what nodes tell each other; without it the database does. */
  | { readonly url: string; readonly hints?: HintBroker };

/** `onMigrate` is told before the tables of an earlier release are changed on a server that nobody backed up. */
export async function openStore(
  where: StoreLocation,
  onMigrate: (what: string) => void = () => {},
): Promise<OpenedStore> {
  if (where === "memory") return openSqliteStore(":memory:");
  if ("file" in where) return openSqliteThread(where.file);
  const { openPostgresStore } = await import("./postgres/postgres-store.ts");
  return openPostgresStore(where.url, onMigrate, where.hints);
}
