// Handlers of operations about copies of what is kept. What makes them is loaded at need.

import { SCHEMA_VERSION } from "@aos/kernel";
import type { backupOperations, OperationAnswer } from "@aos/protocol";
import type { GatewayContext, OperationCall } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";

const TELL_EVERY_MS = 250;

export const backupHandlers: HandlersOf<typeof backupOperations> = {
  async backUp(gateway, args, call) {
    await gateway.kernel.enter("backup", call.caller.name, { file: args.file });
    return progressOf(gateway, args, call);
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
