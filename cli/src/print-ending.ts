// Prints how a process ended: its result as data, the reason of a failure as a message, and sets the exit code.

import { exitCodes, isEnded, type Ending, type Json } from "@aos/protocol/words";
import type { Output } from "./output.ts";

/** `text` is what a person is shown of the result. */
export async function printEnding(
  out: Output,
  ending: Ending,
  text: string = resultText(ending.output),
): Promise<number> {
  await out.data(ending, () => text);
  if (!isEnded(ending.state)) {
    out.note(`${ending.pid} has not ended: it is ${ending.state}`);
    return exitCodes.timeout;
  }
  if (ending.error !== null) {
    out.note(`${ending.pid} ${ending.state}: ${ending.error.message} (${ending.error.code})`);
    const hint = ending.error.hint ?? `\`aos why ${ending.pid}\` tells what led to it`;
    process.stderr.write(`hint: ${hint}\n`);
  } else if (ending.exitCode !== exitCodes.success) {
    out.note(`${ending.pid} ${ending.state} with exit code ${ending.exitCode}`);
  }
  return ending.exitCode ?? exitCodes.failed;
}

/** A string as it is, nothing for nothing, other values as JSON. */
export function resultText(output: Json | undefined): string {
  if (output === null || output === undefined) return "";
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}
