// KeptResponse: an earlier response, from the journal.
//
// KEPT-RESPONSE-1  Only a response that was requested with `store` is returned, and only to callers that may see the
//     process.

import type { Kernel } from "@aos/kernel";
import { isEnded, type Ending, type ProcessId, SysError } from "@aos/protocol";
import type { ClientInput } from "./client-note.ts";
import { runOfResponse } from "./ids.ts";
import { isLive, turnResultOf } from "./outcome.ts";
import { outputOf, responseObject, responseStatus, statusWithout } from "./response-object.ts";
import type { Thread } from "./thread.ts";
import { usageOf } from "./usage.ts";

export interface StoredResponse {
  readonly pid: ProcessId;
  readonly input: ClientInput;
  readonly isLive: boolean;
}

export async function findStoredResponse(kernel: Kernel, id: string): Promise<StoredResponse> {
  const pid = runOfResponse(id);
  if (pid === undefined) throw noResponse(id);
  const { program } = await kernel.show(pid).catch((error: unknown) => {
    throw error instanceof SysError && error.code === "ENOENT" ? noResponse(id) : error;
  });
  if (program !== "converse") throw noResponse(id);
  const { manifest, records } = await kernel.pastRun(pid);
  const [start] = records;
  const input = start?.kind === "start" ? (start.input as unknown as ClientInput) : undefined;
  if (input?.door?.api !== "responses" || !input.door.store) throw noResponse(id); // KEPT-RESPONSE-1
  return { pid, input, isLive: isLive(manifest, input) };
}

/** The conversation up to and with a response. */
export async function threadOf(kernel: Kernel, id: string): Promise<Thread> {
  const { pid, input } = await findStoredResponse(kernel, id);
  const { labels, ...detail } = await kernel.show(pid);
  if (!isEnded(detail.state))
    throw new SysError("ESTATE", `the response ${id} is not there yet`, {
      hint: "wait until it is completed",
      detail: { param: "previous_response_id" },
    });
  const { said } = turnResultOf(detail as Ending, false);
  return { messages: [...input.messages, ...said], label: labels };
}

export async function storedResponse(kernel: Kernel, id: string): Promise<object> {
  const { pid, input, isLive: live } = await findStoredResponse(kernel, id);
  const detail = await kernel.show(pid);
  const { state, exitCode, agent, error } = detail;
  const shape = { run: { pid, isPlain: false, isLive: live }, model: agent, door: input.door };
  const usage = await usageOf(kernel, pid);
  if (state === "completed") {
    const turned = turnResultOf(detail, false);
    return responseObject(shape, {
      status: responseStatus(turned),
      output: outputOf(shape, turned),
      usage,
    });
  }
  const status = statusWithout(state, exitCode);
  const failure = status === "failed" && error !== null ? { failure: error } : {};
  return responseObject(shape, { status, output: [], usage, ...failure });
}

const noResponse = (id: string): SysError =>
  new SysError("ENOENT", `unknown response ${JSON.stringify(id)}`, {
    hint: "a response is kept only if it was requested with store: true, as long as its run is kept",
    detail: { param: "response_id" },
  });
