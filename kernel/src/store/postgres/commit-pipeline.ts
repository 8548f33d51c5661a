// Commit pipeline: one connection on which a statement is sent before those ahead of it are answered. Each is
// a transaction by itself.
//
//   send(statement, values)   true where it was made; false where the server refused it
//
// COMMIT-PIPELINE-1  The server makes the statements in the order in which they are sent.
// COMMIT-PIPELINE-2  A statement is made only if the one that was sent before it was made, or if that one
//     was refused and answered before this one was sent (pipeline-order.ts).
// COMMIT-PIPELINE-3  A refusal says that nothing of the statement happened. After an error of the
//     connection nobody can know; whoever waits is told the error, and the next statement has a new
//     connection.

import type { Client } from "pg";
import { storeFailure } from "../store-failure.ts";
import { FENCED } from "./commit-function.ts";
import { clientOf, IDLE_MS, MAY_TRY_AGAIN, READ_COMMITTED, type Values } from "./connection.ts";
import { PIPELINE_TURN, type PipelinedStatement } from "./pipeline-order.ts";

/** Rows are looked up by their keys, also when the plan was made while the tables were empty. */
const PLANS = `set plan_cache_mode = force_generic_plan; set enable_seqscan = off`;

interface Session {
  readonly client: Client;
  readonly id: string;
  /** How many statements it was sent, and which of them is the last that was made. */
  sent: number;
  made: number;
  underWay: number;
  isIdle: boolean;
}

export class CommitPipeline {
  readonly #url: string;
  readonly #name: string;
  readonly #sender: string;
  #connections = 0;
  #session: Session | undefined;
  #idling: NodeJS.Timeout | undefined;

  /** `sender` tells our turns from those of others, whose session we may be given by a pooler. */
  constructor(url: string, name: string, sender: string) {
    this.#url = url;
    this.#name = name;
    this.#sender = sender;
  }

  /** Whether a statement that is sent now is made if those before it are. */
  get isInTurn(): boolean {
    const session = this.#session;
    return session !== undefined && (session.underWay > 0 || session.sent === session.made);
  }

  /** The turns are added to its values here. While it is connecting, nothing else may be sent. */
  async send(statement: PipelinedStatement, values: Values): Promise<boolean> {
    const session = this.#session ?? (await this.#connect());
    const { client, id, underWay, sent, made } = session;
    const turns = [`${id}:${underWay > 0 ? sent : made}`, `${id}:${sent + 1}`];
    const { name, text } = statement;
    session.underWay++;
    session.isIdle = false;
    const turn = ++session.sent;
    return new Promise((resolve, reject) => {
      client.query(
        { name, text, values: [...values, ...turns] },
        (error: (Error & { code?: string }) | null, result) => {
          session.underWay--;
          if (error === null) {
            if (result.rowCount === 1) session.made = turn;
            return resolve(result.rowCount === 1);
          }
          const code = error.code ?? "";
          if (code === FENCED || MAY_TRY_AGAIN.has(code)) return resolve(false);
          this.#drop(session);
          reject(storeFailure(error, this.#name));
        },
      );
    });
  }

  async close(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    this.#drop(session);
    await session.client.end().catch(() => {});
  }

  async #connect(): Promise<Session> {
    const client = clientOf(this.#url, { pipeline: true });
    const id = `${this.#sender}:${++this.#connections}`;
    const session = { client, id, sent: 0, made: 0, underWay: 0, isIdle: false };
    client.on("error", () => this.#drop(session)); // its statements say so, and the next has another one
    try {
      await client.connect();
      await client.query(`${READ_COMMITTED}; ${PLANS}; set ${PIPELINE_TURN} = '${id}:0'`);
    } catch (error) {
      client.end().catch(() => {});
      throw storeFailure(error, this.#name);
    }
    this.#idling = setInterval(() => this.#endIdle(session), IDLE_MS).unref();
    return (this.#session = session);
  }

  /** A connection that was idle for a while may be closed without notice. */
  #endIdle(session: Session): void {
    if (session.isIdle && session.underWay === 0) this.#drop(session);
    session.isIdle = true;
  }

  #drop(session: Session): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    clearInterval(this.#idling);
    session.client.end().catch(() => {});
  }
}
