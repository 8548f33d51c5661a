// A database for one test, of either kind: what the contract's suites run on.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach } from "vitest";
import { type OpenedStore, openStore, LoneWrites, openSqliteThread } from "@aos/kernel/store";
import type { PostgresServer } from "../../helpers/postgres.ts";

export interface Database {
  readonly kind: OpenedStore["kind"];
  open(): Promise<OpenedStore>;
  /** One statement, behind the store's back: close the store first. */
  execute(sql: string): Promise<unknown>;
  remove(): Promise<void>;
}

export type NewDatabase = () => Promise<Database>;

export const sqliteDatabase: NewDatabase = () => sqliteFile();

async function sqliteFile(): Promise<Database & { readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), "aos-store-"));
  const file = join(folder, "aos.db");
  return {
    kind: "sqlite",
    file,
    open: () => openStore({ file }),
    async execute(sql) {
      using db = new DatabaseSync(file);
      db.exec(sql);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** The same, whose caller may write at once however long that takes. */
export async function ownThread(): Promise<Database> {
  const { file, ...database } = await sqliteFile();
  return { ...database, open: () => openSqliteThread(file, new LoneWrites(Infinity)) };
}

/** The same, where every commit leaves rows of chains and of spend to a later one. */
export async function deferring(): Promise<Database> {
  const { file, ...database } = await sqliteFile();
  const always = { chains: 1, commits: 0 };
  return { ...database, open: () => openSqliteThread(file, new LoneWrites(), always) };
}

/** The same, whose commits are made by the caller's own thread and by the store's in turn. */
export async function eitherThread(): Promise<Database> {
  const database = await ownThread();
  const open = async () => {
    const store = await database.open();
    let turn = 0;
    const commit: OpenedStore["commit"] = async (extensions, writes) =>
      (turn++ % 2 === 0 ? store.commitNow!(extensions, writes) : undefined) ??
      store.commit(extensions, writes);
    return { ...store, commit };
  };
  return { ...database, open };
}

export async function postgresDatabase(server: PostgresServer): Promise<Database> {
  const { url, execute } = await server.createDatabase();
  return { kind: "postgres", open: () => openStore({ url }), execute, remove: async () => {} };
}

/** A new database with an open store before each test, gone after it. */
export function storeForEachTest(newDatabase: NewDatabase) {
  let database: Database;
  let opened: OpenedStore[] = [];
  const open = async () => {
    const store = await database.open();
    opened.push(store);
    return store;
  };
  const close = async (store: OpenedStore) => {
    opened = opened.filter((other) => other !== store);
    await store.close();
  };
  let store: OpenedStore;
  beforeEach(async () => {
    database = await newDatabase();
    store = await open();
  });
  afterEach(async () => {
    for (const one of opened) await close(one);
    await database.remove();
  });
  return {
    get store() {
      return store;
    },
    get database() {
      return database;
    },
    /** One more store on the same database: another node, or a later boot. */
    open,
    close,
    /** Closes the store, does this behind its back, and opens it again. */
    async behindItsBack(sql: string) {
      await close(store);
      await database.execute(sql);
      store = await open();
    },
  };
}
