// Prints the location of a recording: record/PROVIDER/MODEL writes a script into the home.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { CommandCall } from "./command.ts";

export function printRecording(
  { out, endpoint }: Pick<CommandCall, "out" | "endpoint">,
  pid: string,
): void {
  const folder = join(endpoint.home, "recordings");
  const file = filesIn(folder).find((name) => name.endsWith(`-${pid}.yaml`));
  if (file === undefined) return;
  const name = file.slice(0, -".yaml".length);
  out.note(
    `the model's answers are recorded in ${join(folder, file)}; scripted/${name} replays them`,
  );
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Nothing was ever recorded.
  }
}
