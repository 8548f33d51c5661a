// SQLite mount: a database file below /mnt/NAME, read-only.
//
//   list("/mnt/db")                    the tables and views, as files
//   read("/mnt/db/users", { limit })   a page of rows: { columns, rows, next }
//   search("/mnt/db", "SELECT …")      the rows of one SELECT; below a table, the rows that have the words
//
// SQLITE-MOUNT-1  The file is opened as checked and read-only, in a separate thread that is ended when the time is
//     up. Statements that write, attach a file, load code or change settings are refused by the database's authorizer.
// SQLITE-MOUNT-2  A page has a limit of rows and of bytes.

import { stat } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import {
  SysError,
  type DeviceContext,
  type Json,
  type Connector,
  type MountRequest,
} from "@aos/protocol";
import { withFile } from "../tools/file/open-checked.ts";
import { connector, MOST_BYTES, MOST_ENTRIES, type DeclaredMount } from "./connector.ts";
import { coversFiles } from "./mount-reach.ts";
import type { SqliteAnswer, SqliteJob } from "./sqlite-thread.ts";

type SqliteDeclaration = Extract<DeclaredMount["declaration"], { driver: "sqlite" }>;

const USUAL_ROWS = 100;

export function sqliteMount(declared: DeclaredMount<SqliteDeclaration>): Connector {
  const { file } = declared.declaration;
  const run = (request: MountRequest, context: DeviceContext) =>
    withFile(file, "read", context, async (opened, real) => {
      const before = await opened.stat();
      const answer = await onThread(
        {
          file: real,
          call: request.call,
          table: request.path,
          query: request.query ?? "",
          offset: readCursor(request.cursor),
          limit: Math.min(request.limit ?? USUAL_ROWS, MOST_ENTRIES),
          mostBytes: MOST_BYTES,
        },
        context.signal,
      );
      const now = await stat(real);
      if (now.ino !== before.ino || now.dev !== before.dev)
        throw new SysError("EUPSTREAM", "the file was replaced while it was read");
      return answer;
    });
  return connector(declared, {
    target: file,
    egress: false,
    covers: coversFiles(file),
    needs: () => [{ kind: "file", resource: file, verb: "read" }],
    async list(request, context) {
      const { names = [] } = await run(request, context);
      return { paths: names, next: null };
    },
    read: async (request, context) => (await run(request, context)).page as unknown as Json,
    async search(request, context) {
      const { page } = await run(request, context);
      return {
        found: page!.rows.map((row) => ({ path: request.path, data: row, score: 1 })),
        next: page!.next,
      };
    },
  });
}

/** The number of rows before the page. */
export function readCursor(cursor: string | undefined): number {
  if (cursor === undefined || cursor === "") return 0;
  if (/^\d{1,12}$/.test(cursor)) return Number(cursor);
  throw new SysError("EINVAL", "the cursor does not belong to this mount");
}

/** SQLITE-MOUNT-1. */
function onThread(job: SqliteJob, signal: AbortSignal): Promise<SqliteAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SqliteAnswer>();
  const worker = new Worker(new URL("./sqlite-thread.ts", import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  worker.once("message", (said: SqliteAnswer & { code?: "ENOENT" | "EINVAL"; error?: string }) => {
    if (said.error === undefined) resolve(said);
    else reject(new SysError(said.code ?? "EINVAL", said.error));
  });
  worker.once("error", (error) => reject(new SysError("EUPSTREAM", error.message)));
  return promise.finally(() => {
    signal.removeEventListener("abort", stop);
    void worker.terminate();
  });
}
