// The daemon's program, asked to do something to a home that no daemon runs on (protocol/src/offline.ts). This is how
// `aos restore` and `aos migrate` work, and `aos backup` where no daemon is up.
//
//   node daemon/src/main.ts --offline   reads the request, prints a line for each step, and ends

import { failures, SysError, type OfflineLine, type OfflineRequest } from "@aos/protocol";
import { readConfig } from "../config.ts";
import { homeOf, withinHome } from "../home.ts";
import { lockHome } from "../home-lock.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const TELL_EVERY_MS = 200;

/** The exit code. */
export async function runOfflineCommand(env: Environment): Promise<number> {
  const print = (line: OfflineLine) => void process.stdout.write(`${JSON.stringify(line)}\n`);
  let toldAt = 0;
  const onProgress = (doing: string, done: number, of?: number) => {
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    print({ doing, done, ...(of === undefined ? {} : { of }) });
  };
  try {
    let text = "";
    for await (const piece of process.stdin.setEncoding("utf8")) text += String(piece);
    print({ report: await answer(JSON.parse(text) as OfflineRequest, env, onProgress) });
    return 0;
  } catch (error) {
    const failure =
      error instanceof SysError
        ? error
        : new SysError("EINTERNAL", String((error as Error).stack ?? error));
    print({ error: failure.toText() });
    return failures[failure.code].exit;
  }
}

async function answer(
  request: OfflineRequest,
  env: Environment,
  onProgress: (doing: string, done: number, of?: number) => void,
) {
  const home = homeOf(env);
  switch (request.do) {
    case "restore":
      return (await import("./restore.ts")).restore(home, request, env, onProgress);
    case "backup": {
      const { backUpOffline } = await import("./offline-backup.ts");
      return locked(() => backUpOffline(home, request, env, onProgress));
    }
    case "import": {
      const { importBundle, importedRuns } = await import("./imports.ts");
      if (request.file !== undefined) return importBundle(home, request.file, env, onProgress);
      return { file: null, bundle: null, signer: null, runs: await importedRuns(home) };
    }
    case "replay":
      return (await import("./imports.ts")).replayFrom(home, request, env, onProgress);
    case "rollback": {
      const { rollBack } = await import("@aos/kernel");
      const { database } = readConfig(home, env);
      const where = database === undefined ? { file: home.database } : { url: database };
      const { schema } = request;
      return locked(async () => ({ schema, undone: await rollBack(where, schema) }));
    }
    case "migrate": {
      const { migrateHome } = await import("./migrate-home.ts");
      return locked(() => migrateHome(home, request, env, onProgress));
    }
  }

  /** No daemon starts on the home meanwhile. */
  async function locked<T>(work: () => Promise<T>): Promise<T> {
    const lock = withinHome(home, () => lockHome(home));
    try {
      return await work();
    } finally {
      lock.release();
    }
  }
}
