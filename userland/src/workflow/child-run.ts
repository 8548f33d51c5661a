// Child run: what plans and workflows have in common about a child: it is started when the tree has room, and how it
// ended is a code.

import { type Ending, type Json, type SpawnedAgent, type Sys, SysError } from "@aos/protocol";

/** Where the tree is full, it waits until there is room. */
export async function spawnWhenRoom(
  sys: Sys,
  agent: SpawnedAgent,
  input: Json,
  options: Parameters<Sys["spawn"]>[2],
): Promise<string> {
  for (;;) {
    try {
      return await sys.spawn(agent, input, options);
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "EAGAIN") throw error;
      await sys.sleep((await sys.now()) + (error.retryAfter ?? 1000));
    }
  }
}

/** Undefined of one that completed. */
export function failureOfEnding({ state, exitCode, error }: Ending) {
  if (state === "completed" && exitCode === 0) return undefined;
  const isExit = error === null || (error.code === "EPROGRAM" && (exitCode ?? 1) > 1);
  const code = isExit ? `exit ${exitCode ?? state}` : error.code;
  return { code, message: error?.message ?? `${state} with exit code ${exitCode}` };
}
