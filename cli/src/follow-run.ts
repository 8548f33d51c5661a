// FollowRun: shows what a process says until it ends, and prints its result.
//
// The first Ctrl-C sends SIGINT to the process; the second leaves it running and ends `aos`.

import { failures } from "@aos/protocol/failures";
import { exitCodes } from "@aos/protocol/words";
import type { CommandCall } from "./command.ts";
import { printEnding, resultText } from "./print-ending.ts";
import { printRecording } from "./print-recording.ts";
import { showProgress } from "./run-progress.ts";
import { questionMode, watchQuestions } from "./question/run-questions.ts";
import { waitForEnd } from "./wait-for-end.ts";

export async function followRun(call: CommandCall, pid: string) {
  const { client, out } = call;
  out.note(`${pid} is running`);

  let interrupted = false;
  const interrupt = () => {
    if (interrupted) {
      out.note(`${pid} keeps running; wait for its end with: aos wait ${pid}`);
      process.exit(exitCodes.interrupted);
    }
    interrupted = true;
    out.note("interrupting the process; press Ctrl-C again to leave it running");
    client.signal({ pid, signal: "SIGINT" }).catch((error: Error) => out.note(error.message));
  };
  process.on("SIGINT", interrupt);

  const progress = showProgress(client, pid, {
    showsWords: out.format === "text",
    isSameTerminal: out.terminal && out.format === "text",
  });
  const questions = watchQuestions(call, {
    pid,
    mode: questionMode(!call.options.flag("ask")),
    pause: () => progress.pause(),
    resume: () => progress.resume(),
    interrupt,
  });
  const ending = await waitForEnd(call, pid);
  await questions.stop();
  printRecording(call, pid);
  const code = await printEnding(out, ending, await progress.rest(resultText(ending.output)));
  return questions.isRefused() ? failures.EDENIED.exit : code;
}
