// Connection: how we speak with PostgreSQL. Statements are written with `?`, as for SQLite, and are
// numbered here; whole numbers come back as numbers.

import { Client, Pool, TypeOverrides, types, type ClientConfig, type PoolClient } from "pg";
import type { Row } from "../row-values.ts";
import { storeFailure } from "../store-failure.ts";
import { wholeNumber, type SqlValue } from "../writes.ts";
import { CorkedSocket } from "./corked-socket.ts";
import { ReadBundles } from "./read-bundles.ts";

/** A column of values, for `unnest`. */
type Column = readonly SqlValue[];
export type Values = readonly (SqlValue | Column)[];
/** A statement of a transaction, and its rows. */
export type RunStatement = (sql: string, values: Values) => Promise<Row[]>;
/** One whose answer nobody waits for: if it fails, so does the transaction. */
export type Send = (sql: string, values: Values) => void;

const MAX_CLIENTS = 4;
const CONNECT_MS = 10_000;
/** Also waits for a free client of the pool, so it is longer. */
const POOL_MS = 30_000;
export const IDLE_MS = 60_000;

/**
 * A node that stops in the middle of a transaction holds its locks, and no other node could take over.
 * After this time the server closes its connection.
 */
const MAX_STANDSTILL_MS = 2000;

/** Two transactions waited for each other or overtook each other, or one stood still: nothing of it
 * happened, and it may simply be tried again. */
export const MAY_TRY_AGAIN = new Set(["40001", "40P01", "25P03"]);
const MAX_TRIES = 10;

/** For statements by themselves, whatever the database or the role says: others would be tried again and again
 * where two nodes add to one row. */
export const READ_COMMITTED =
  "set session characteristics as transaction isolation level read committed";

// Keys, times and counts all stay below 2^53.
const parsers = new TypeOverrides();
parsers.setTypeParser(types.builtins.INT8, Number);

const settingsOf = (url: string): ClientConfig => ({
  connectionString: url,
  types: parsers,
  keepAlive: true,
  application_name: "agent-os",
  connectionTimeoutMillis: CONNECT_MS,
  idle_in_transaction_session_timeout: MAX_STANDSTILL_MS,
});

/** A client of its own, not yet connected. */
export const clientOf = (url: string, more: ClientConfig = {}): Client =>
  new Client({ ...settingsOf(url), ...more });

/** The server and the database, for people; never the password. */
export function databaseName(url: string): string {
  try {
    const { host, port, database } = clientOf(url);
    return `the database ${database ?? ""} at ${host}:${port}`;
  } catch {
    return "the database of AOS_DATABASE_URL";
  }
}

/** `?` becomes `$1`, `$2`, …; a text that was seen before keeps its name, so that it is parsed once. */
class Statements {
  readonly #known = new Map<string, { readonly name: string; readonly text: string }>();

  of(sql: string): { readonly name: string; readonly text: string } {
    let statement = this.#known.get(sql);
    if (statement === undefined) {
      let count = 0;
      statement = {
        name: `aos${this.#known.size}`,
        text: sql.replaceAll("?", () => `$${++count}`),
      };
      this.#known.set(sql, statement);
    }
    return statement;
  }
}

/** PostgreSQL keeps every character but one, and would refuse the whole commit for it. */
export const legible = <T>(value: T): T =>
  typeof value === "string" && value.includes("\0")
    ? (value.replaceAll("\0", "\uFFFD") as T)
    : value;

/** The clients that a store shares out. */
export class Clients {
  readonly #pool: Pool;
  readonly #bundles: ReadBundles;
  readonly #name: string;
  readonly #statements = new Statements();

  constructor(url: string, name: string) {
    this.#name = name;
    this.#pool = new Pool({
      ...settingsOf(url),
      max: MAX_CLIENTS,
      pipeline: true,
      connectionTimeoutMillis: POOL_MS,
      idleTimeoutMillis: IDLE_MS,
    });
    this.#bundles = new ReadBundles(this.#pool);
    this.#pool.on("error", () => {}); // an idle client was cut off: the pool makes a new one
    this.#pool.on("connect", (client) => {
      client.on("error", () => {}); // and one in use: its statements say so
      client.query(READ_COMMITTED).catch(() => {}); // and so do the statements that follow
    });
  }

  /** One statement by itself. Not prepared: a table may gain a column while we run. */
  query(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#ask({ text: this.#statements.of(sql).text }, values);
  }

  /** The same, prepared: for one whose columns are named, so that they are the same whatever its tables gain. */
  prepared(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    return this.#ask(this.#statements.of(sql), values);
  }

  async #ask(
    statement: { name?: string; text: string },
    values: readonly SqlValue[],
  ): Promise<Row[]> {
    try {
      // No question of ours has a sum of money in it.
      const query = { ...statement, values: values.map((value) => legible(wholeNumber(value))) };
      return await this.#bundles.ask(query);
    } catch (error) {
      throw storeFailure(error, this.#name);
    }
  }

  /**
   * One transaction, made again from the start when it lost against another. Its statements are prepared, and
   * may be sent without waiting for the one before. `commit` is sent when `work` is done, behind all that
   * was sent: the server makes it a rollback if one of them failed.
   */
  async transaction<T>(work: (run: RunStatement, send: Send) => Promise<T>): Promise<T> {
    return this.#again((client) => this.#attempt(client, work));
  }

  async #attempt<T>(
    client: PoolClient,
    work: (run: RunStatement, send: Send) => Promise<T>,
  ): Promise<T> {
    const sent: Promise<unknown>[] = [];
    let unsent: unknown; // the server has not heard of it, and would commit the rest
    const outgoing = new CorkedSocket(client);
    const begun = client.query("begin isolation level read committed");
    begun.catch(() => {}); // said by the first that is run
    const run: RunStatement = async (sql, values) => {
      const answered = this.#query(client, sql, values);
      outgoing.flush();
      return (await Promise.all([begun, answered]))[1];
    };
    const send: Send = (sql, values) => {
      outgoing.hold();
      const answered = this.#query(client, sql, values, (error) => (unsent ??= error));
      answered.catch(() => {}); // said below
      sent.push(answered);
    };
    try {
      const done = await work(run, send);
      if (unsent !== undefined) throw unsent;
      sent.push(client.query("commit"));
      outgoing.flush();
      await Promise.all(sent);
      return done;
    } finally {
      outgoing.flush();
    }
  }

  /** `onError` is called before this returns where the statement cannot be sent. */
  #query(
    client: PoolClient,
    sql: string,
    values: Values,
    onError: (error: Error) => void = () => {},
  ): Promise<Row[]> {
    const statement = { ...this.#statements.of(sql), values: values.map(legible) };
    return new Promise((resolve, reject) => {
      client.query<Row>(statement, (error: Error | null, result) => {
        if (error === null) return resolve(result.rows);
        onError(error);
        reject(error);
      });
    });
  }

  async #again<T>(attempt: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      let client: PoolClient | undefined;
      let said = ""; // by the server, between two statements
      const hear = (error: Error & { code?: string }) => void (said ||= error.code ?? "");
      try {
        client = await this.#pool.connect();
        client.on("error", hear);
        const done = await attempt(client);
        client.off("error", hear);
        client.release();
        return done;
      } catch (error) {
        // Closing the connection rolls back, and forgets statements whose preparation failed with it.
        client?.release(true);
        const code = (error as { code?: string }).code ?? "";
        const mayTryAgain = MAY_TRY_AGAIN.has(code) || MAY_TRY_AGAIN.has(said);
        if (!mayTryAgain || tries === MAX_TRIES) throw storeFailure(error, this.#name);
      }
    }
  }

  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }
}
