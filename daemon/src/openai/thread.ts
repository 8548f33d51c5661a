// Thread: continues a conversation from earlier runs. A client keeps only what it received; the agent's own steps in
// between are in the journal and are put back in their places.
//
// OPENAI-THREAD-1  A call that a run handed over is identified by its id: the run's own steps replace what the client
//     repeats of it, and the result goes to the call that the model made.
// OPENAI-THREAD-2  The label of an earlier run is joined into the run that continues it.
// OPENAI-THREAD-3  Every call has its result, and every result its call, before the model is asked.
// OPENAI-THREAD-4  A run that no longer exists, or belongs to another tenant, contributes nothing: the client's
//     messages are used as they are.

import { joinLabels, type Kernel } from "@aos/kernel";
import { type Label, type Message, type ProcessId, SysError } from "@aos/protocol";
import type { TurnResult } from "@aos/userland";
import { fieldRefused } from "./fields.ts";
import { runOfCall } from "./ids.ts";
import { BETWEEN, isTurnResult } from "./outcome.ts";

export interface Thread {
  readonly messages: readonly Message[];
  /** Of the runs that it goes on from. */
  readonly label: Label | undefined;
}

interface PastTurn {
  readonly turned: TurnResult;
  readonly label: Label;
}

/** What results of a client's tools are: somebody else's words. */
const FOREIGN: Label = { integrity: "untrusted", secrecy: "public" };

export async function continueThread(
  kernel: Pick<Kernel, "show">,
  before: Thread,
  given: readonly Message[],
): Promise<Thread> {
  const past = new Map<ProcessId, PastTurn | undefined>();
  const turnOf = async (id: string | undefined) => {
    const named = id === undefined ? undefined : runOfCall(id);
    if (named === undefined) return undefined;
    if (!past.has(named.pid)) past.set(named.pid, await pastTurn(kernel, named.pid));
    const turn = past.get(named.pid);
    return turn === undefined ? undefined : { ...named, ...turn };
  };

  const messages: Message[] = [...before.messages];
  for (const message of given) {
    const [first] = message.toolCalls ?? [];
    const run = await turnOf(message.role === "tool" ? message.toolCallId : first?.id);
    if (run === undefined) messages.push(message);
    else if (message.role === "tool") messages.push(answered(message, run));
    else putBack(messages, run.turned);
  }
  checkCalls(messages);
  const labels = [before.label, ...[...past.values()].map((turn) => turn?.label)];
  const foreign = given.some(({ role }) => role === "tool") ? FOREIGN : undefined;
  return { messages, label: joinAll([...labels, foreign]) };
}

/** OPENAI-THREAD-4. */
async function pastTurn(
  kernel: Pick<Kernel, "show">,
  pid: ProcessId,
): Promise<PastTurn | undefined> {
  try {
    const { program, output, labels } = await kernel.show(pid);
    return program === "converse" && isTurnResult(output)
      ? { turned: output, label: labels }
      : undefined;
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** OPENAI-THREAD-1. What the agent said on the way there may stand before its calls, as messages of its own. */
function putBack(messages: Message[], { said }: TurnResult): void {
  const own = said.filter(({ role }) => role === "assistant").map(({ content }) => content);
  const words = new Set([...own, own.filter((text) => text !== "").join(BETWEEN)]);
  for (
    let last = messages.at(-1);
    last?.role === "assistant" && last.toolCalls === undefined && words.has(last.content);
    last = messages.at(-1)
  )
    messages.pop();
  messages.push(...said);
}

const answered = (message: Message, run: { turned: TurnResult; index: number }): Message => ({
  ...message,
  toolCallId: run.turned.calls[run.index]?.id ?? message.toolCallId ?? "",
});

/** OPENAI-THREAD-2. */
const joinAll = (labels: readonly (Label | undefined)[]): Label | undefined =>
  labels.reduce(
    (a, b) => (a === undefined ? b : b === undefined ? a : joinLabels(a, b)),
    undefined,
  );

/** OPENAI-THREAD-3. */
function checkCalls(messages: readonly Message[]): void {
  let open = new Set<string>();
  for (const { role, toolCalls, toolCallId = "" } of messages) {
    if (role === "tool") {
      if (!open.delete(toolCallId))
        throw fieldRefused("", `the result of ${toolCallId} has no matching call`);
      continue;
    }
    refuseOpen(open);
    open = new Set((toolCalls ?? []).map(({ id }) => id));
  }
  refuseOpen(open);
}

function refuseOpen(open: ReadonlySet<string>): void {
  const [id] = open;
  if (id !== undefined)
    throw fieldRefused("", `the call ${id} has no result`, "every call needs its result");
}
