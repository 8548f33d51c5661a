import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { printFailure } from "../output.ts";
import { signalOf } from "../signal-of.ts";

/** Every process is tried; the exit code is that of the last failure. */
export const command: Command = async ({ args, client, options, out }) => {
  const signal = signalOf(options.text("signal") ?? "TERM");
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
};
