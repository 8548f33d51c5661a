// SignalEach: sends one signal to several processes. Every one is tried; the exit code is that of the last failure.

import { SysError, type SignalName } from "@aos/protocol/words";
import type { CommandCall } from "./command.ts";
import { printFailure } from "./output.ts";

export async function signalEach(
  { args, client, out }: CommandCall,
  signal: SignalName,
): Promise<number> {
  const sent: unknown[] = [];
  let exitCode = 0;
  for (const pid of args) {
    try {
      sent.push(await client.signal({ pid, signal }));
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      exitCode = printFailure(error, out.format);
    }
  }
  await out.data(sent, () => "");
  return exitCode;
}
