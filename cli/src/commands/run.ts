// `aos run`: start, follow, print the result.
//
// A first Ctrl-C goes to the process as SIGINT; a second one leaves it running and goes away.

import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { printEnding } from "../print-ending.ts";
import { showProgress } from "../progress.ts";
import { spawnAgent } from "../spawn-agent.ts";
import { waitForEnd } from "../wait-for-end.ts";

export const command: Command = async (call) => {
  const { client, options, out } = call;
  const pid = await spawnAgent(call);
  if (options.flag("detach")) {
    await out.data({ pid }, () => pid);
    return exitCodes.success;
  }
  out.note(`${pid} is running`);

  let interrupted = false;
  process.on("SIGINT", () => {
    if (interrupted) {
      out.note(`${pid} is left running; see it end with: aos wait ${pid}`);
      process.exit(exitCodes.interrupted);
    }
    interrupted = true;
    out.note("interrupting it; once more leaves it running");
    client.signal({ pid, signal: "SIGINT" }).catch((error: Error) => out.note(error.message));
  });

  const progress = showProgress(client, pid);
  const ending = await waitForEnd(call, pid);
  progress.stop();
  return printEnding(out, ending);
};
