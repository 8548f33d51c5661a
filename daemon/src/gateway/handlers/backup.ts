// Handlers of operations about copies of what is kept. What makes them is loaded at need.

import { SCHEMA_VERSION } from "@aos/kernel";
import type { backupOperations, OperationAnswer } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { GatewayContext, OperationCall } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";

const TELL_EVERY_MS = 250;

export const backupHandlers: HandlersOf<typeof backupOperations> = {
  async backUp(gateway, args, call) {
    await gateway.kernel.enter("backup", call.caller.name, { file: args.file });
    return progressOf(gateway, args, call);
  },
  async exportRuns({ kernel, home }, { file, pid, agent, since }, { caller }) {
    const { writeBundle } = await import("../../backup/bundle.ts");
    const sinceMs = since === undefined ? undefined : Date.parse(since);
    const wanted = omitUndefined({ pid, agent, sinceMs });
    const report = await writeBundle(kernel, home, { file, wanted, schema: SCHEMA_VERSION });
    await kernel.enter("export", caller.name, { file, ...wanted, runs: report.runs });
    return report;
  },
};

async function* progressOf(
  { kernel, home }: GatewayContext,
  { file, passphrase }: { file: string; passphrase: string },
  { signal }: OperationCall,
): AsyncGenerator<OperationAnswer<"backUp">> {
  const { writeBackup } = await import("../../backup/write-backup.ts");
  const isUnheard = new AbortController();
  let told = { doing: "begin", bytes: 0 };
  const writing = writeBackup(kernel, home, {
    file,
    passphrase,
    schema: SCHEMA_VERSION,
    signal: AbortSignal.any([signal, isUnheard.signal]),
    onProgress: (progress) => void (told = progress),
  });
  const isOver = writing.then(
    () => true,
    () => true,
  );
  try {
    while (!(await Promise.race([isOver, later()]))) yield { ...told, report: null };
    const report = await writing;
    yield { doing: "end", bytes: report.bytes, report };
  } finally {
    isUnheard.abort(); // whoever asked has gone
    await isOver;
  }
}

const later = (): Promise<false> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(false), TELL_EVERY_MS).unref();
  });
