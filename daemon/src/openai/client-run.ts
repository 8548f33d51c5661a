// ClientRun: one request of a client, as one process.
//
// OPENAI-RUN-1  It is an agent of the caller's tenant like any other: listed, journaled, and bound by its manifest.
// OPENAI-RUN-2  A disconnect of the client counts as Ctrl-C: the run finishes its step and ends, and is killed if that
//     takes too long. A stop of the daemon is not a disconnect: the run is kept and continues.
// OPENAI-RUN-3  An agent with its own program receives the last words of the user, as from `aos run`. It has no model
//     here that could be offered tools or a response format.

import { joinLabels, type Kernel } from "@aos/kernel";
import {
  isEnded,
  programOf,
  type Json,
  type Label,
  type Message,
  type ProcessId,
  SysError,
} from "@aos/protocol";
import type { TurnResult } from "@aos/userland";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import { refuseIfClosing } from "../gateway/until-closing.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { ClientRequest } from "./client-request.ts";
import type { ClientInput } from "./client-note.ts";
import { fieldRefused } from "./fields.ts";
import { LiveParagraphs, type ParagraphEvent } from "./live-paragraphs.ts";
import { agentOf } from "./models.ts";
import { isLive, paragraphsOf, turnResultOf } from "./outcome.ts";
import type { Thread } from "./thread.ts";

/** How long a step may take once nobody listens. */
const PATIENCE_MS = 10_000;

export interface ClientRun {
  readonly pid: ProcessId;
  readonly isPlain: boolean;
  /** Whether its words can be told as they are said. */
  readonly isLive: boolean;
}

/** `pid`: what it is to be called, where it may be asked for again. `by`: who asks. */
export async function startClientRun(
  gateway: GatewayContext,
  ask: ClientRequest,
  thread: Thread,
  { by, pid: given }: { by: string; pid?: ProcessId | undefined },
): Promise<ClientRun> {
  const { written, manifest, folder } = agentOf(ask.model, gateway.home);
  const isPlain = programOf(manifest) !== "agent";
  if (isPlain) refuseOfPlain(ask, manifest.persistent === true);
  if (thread.messages.length === 0) throw fieldRefused("", "the request has no message");
  const input: ClientInput = { ...ask.terms, messages: thread.messages, door: ask.door };
  gateway.scripts.see(folder);
  const pid = await gateway.policy.admit([folder], () =>
    gateway.kernel.spawn({
      manifest: isPlain ? written : { ...written, program: "converse" },
      folder,
      registeredAs: ask.model, // agentOf finds agents of the home alone
      input: isPlain ? lastWords(thread.messages) : (input as unknown as Json),
      by,
      ...omitUndefined({ pid: given }),
      ...omitUndefined({
        label: joined(ask.label, thread.label),
        budget: ask.budget,
        lane: ask.lane,
      }),
    }),
  );
  return { pid, isPlain, isLive: !isPlain && isLive(manifest, ask.terms) };
}

const joined = (a: Label | undefined, b: Label | undefined): Label | undefined =>
  a === undefined || b === undefined ? (a ?? b) : joinLabels(a, b);

/** OPENAI-RUN-3. */
function refuseOfPlain({ model, terms, door }: ClientRequest, isPersistent: boolean): void {
  const { instructions: _, ...asked } = terms;
  const [term] = Object.keys(asked);
  if (isPersistent)
    throw fieldRefused(
      "model",
      `${model} is a long-running agent and does not end`,
      "use aos invoke",
    );
  if (term !== undefined || door.tools.length > 0)
    throw fieldRefused(
      "",
      `${model} is a foreign program: it takes no tools and no model settings`,
      "send only messages",
    );
}

function lastWords(messages: readonly Message[]): Json {
  const { content, attachments } = messages.findLast(({ role }) => role === "user") ?? {
    content: "",
  };
  return attachments === undefined ? content : ({ text: content, attachments } as unknown as Json);
}

/** Who waits for a run. */
export interface ClientSignals {
  /** Aborted when they have gone. */
  readonly gone: AbortSignal;
  /** Aborted when the daemon stops. */
  readonly closing: AbortSignal;
}

/** The whole answer, when it is there. */
export async function awaitReply(
  kernel: Kernel,
  run: ClientRun,
  listener: ClientSignals,
): Promise<TurnResult> {
  const signal = AbortSignal.any([listener.gone, listener.closing]);
  const ending = await kernel.wait(run.pid, { signal });
  if (!isEnded(ending.state)) refuseIfClosing(listener.closing, run.pid);
  if (!isEnded(ending.state)) throw new SysError("EINTR", "the client disconnected");
  return turnResultOf(ending, run.isPlain);
}

/** The answer on its way; the last is the whole of it. */
export async function* streamReply(
  kernel: Kernel,
  run: ClientRun,
  listener: ClientSignals,
): AsyncGenerator<ParagraphEvent | { readonly turned: TurnResult }> {
  const paragraphs = new LiveParagraphs(async (n) => {
    const all = await kernel.inferences(run.pid);
    return all.find((one) => one.n === n)?.reply?.text ?? "";
  });
  const signal = AbortSignal.any([listener.gone, listener.closing]);
  if (run.isLive)
    for await (const happening of kernel.attach(run.pid, { signal }))
      yield* paragraphs.take(happening);
  const turned = await awaitReply(kernel, run, listener);
  yield* paragraphs.rest(paragraphsOf(turned, run.isLive));
  yield { turned };
}

/** OPENAI-RUN-2. To be called once it is known that they have gone. */
export async function interrupt(kernel: Kernel, pid: ProcessId): Promise<void> {
  try {
    await kernel.signal(pid, "SIGINT");
    const { state } = await kernel.wait(pid, { timeoutMs: PATIENCE_MS });
    if (!isEnded(state)) await kernel.signal(pid, "SIGTERM");
  } catch (error) {
    if (!(error instanceof SysError)) throw error; // it has ended, or the daemon has
  }
}
