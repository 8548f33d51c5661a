// `aos run`: start, follow, print the result.
//
// The first Ctrl-C sends SIGINT to the process; the second leaves it running and ends `aos`.

import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { estimateAgent } from "../estimate-agent.ts";
import { printEnding, resultText } from "../print-ending.ts";
import { showProgress } from "../progress.ts";
import { printRecording } from "../print-recording.ts";
import { spawnAgent } from "../spawn-agent.ts";
import { waitForEnd } from "../wait-for-end.ts";

const command: Command = async (call) => {
  const { client, options, out } = call;
  if (options.flag("estimate")) return estimateAgent(call);
  const pid = await spawnAgent(call);
  if (options.flag("detach")) {
    await out.data({ pid }, () => pid);
    return exitCodes.success;
  }
  out.note(`${pid} is running`);

  let interrupted = false;
  process.on("SIGINT", () => {
    if (interrupted) {
      out.note(`${pid} keeps running; wait for its end with: aos wait ${pid}`);
      process.exit(exitCodes.interrupted);
    }
    interrupted = true;
    out.note("interrupting the process; press Ctrl-C again to leave it running");
    client.signal({ pid, signal: "SIGINT" }).catch((error: Error) => out.note(error.message));
  });

  const progress = showProgress(client, pid, {
    showsWords: out.format === "text",
    isSameTerminal: out.terminal && out.format === "text",
  });
  const ending = await waitForEnd(call, pid);
  printRecording(call, pid);
  return printEnding(out, ending, await progress.rest(resultText(ending.output)));
};

export default command;
