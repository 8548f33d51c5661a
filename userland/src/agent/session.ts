// Session: a persistent agent. It answers a message, keeps the conversation, and waits for the next message.
//
//   invoke          from the operator: { input, context? }; answered, with `context` in place of all before
//   with replyTo    a request of another process; answered
//   anything else   an event: read, and answered to nobody
//
// AGENT-SESSION-1  All state between messages is in the checkpoint, which is written after each answer and used from
//                  then on: an agent that was never restarted makes the same calls as one that was.
// AGENT-SESSION-2  A failed message is answered with the failure and leaves the conversation unchanged.
// AGENT-SESSION-4  SIGUSR2 stops the work on a message before the next request to the model; the message fails.
// AGENT-SESSION-3  A session ends by a signal or by its budget, never by a failed message.

import {
  type Delivered,
  type Json,
  type JsonObject,
  type Manifest,
  type Message,
  type Sys,
  SysError,
} from "@aos/protocol";
import { Conversation } from "../context/conversation.ts";
import { TaskMemory } from "../memory/task-memory.ts";
import { answerFormOf } from "./answer-form.ts";
import { ModelEscalation } from "./model-escalation.ts";
import { remembers, requestMessage, requestText, systemMessages } from "./opening.ts";
import { StopRequest } from "./stop-request.ts";
import { AgentTask, TaskStopError } from "./task.ts";
import { isReportedToModel } from "./tool-run.ts";
import { Toolbox } from "./toolbox.ts";

export interface SessionState {
  readonly manifest: Manifest;
  /** Its system prompt. */
  readonly system: string | null;
  readonly talk: Json;
  readonly rung: number;
}

export function initialState(manifest: Manifest, system: string | undefined): SessionState {
  const talk = new Conversation({ manifest, opening: systemMessages(system) }).state();
  return { manifest, system: system ?? null, talk, rung: 0 };
}

/** `first` is what it was given at its birth, if anything. */
export async function runSession(sys: Sys, initial: SessionState, first?: Message): Promise<never> {
  let state = initial;
  const stop = new StopRequest();
  if (first !== undefined) {
    const toolbox = await Toolbox.open(sys, state.manifest);
    await stop.listen(sys);
    ({ state } = await answer(sys, state, { talk: talkOf(state), request: first, toolbox, stop }));
    await checkpoint(sys, state);
  }
  for (;;) {
    const talk = talkOf(state);
    await talk.listen(sys);
    await stop.listen(sys);
    const message = await sys.receive();
    stop.forget();
    const asked = readMessage(message, state, talk);
    const toolbox = await Toolbox.open(sys, state.manifest);
    if ((state.manifest.skills ?? []).length > 0) await toolbox.narrow(sys);
    const answered = await answer(sys, state, { ...asked, message: message.id, toolbox, stop });
    await reply(sys, message, answered);
    state = answered.state;
    await checkpoint(sys, state);
  }
}

const talkOf = ({ manifest, talk }: SessionState): Conversation =>
  Conversation.from(manifest, talk);

/** AGENT-SESSION-1. */
const checkpoint = (sys: Sys, state: SessionState): Promise<void> =>
  sys.checkpoint(state as unknown as Json);

interface Answered {
  readonly state: SessionState;
  readonly body: Json;
  readonly isFailure: boolean;
}

interface MessageWork extends PendingMessage {
  readonly message?: string;
  readonly toolbox: Toolbox;
  readonly stop: StopRequest;
}

async function answer(
  sys: Sys,
  state: SessionState,
  { talk, request, message, toolbox, stop }: MessageWork,
): Promise<Answered> {
  const { manifest } = state;
  const ladder = new ModelEscalation(manifest, state.rung);
  const memory =
    request !== undefined && remembers(manifest)
      ? new TaskMemory(sys, manifest, { request, message })
      : undefined;
  const form = answerFormOf(manifest);
  const context = { manifest, ladder, toolbox, form, isStopped: () => stop.isMade };
  if (request !== undefined) talk.push((await memory?.informedRequest(talk.messages)) ?? request);
  try {
    const task = new AgentTask(sys, { ...context, ...(memory && { memory }) }, talk);
    const solve = () => task.solve();
    const { value, confidence } = await (memory?.around(solve, { talk, ladder }) ?? solve());
    const { threshold = 0, below = "decline" } = manifest.confidence ?? {};
    const isDeclined = confidence < threshold && below === "decline";
    const after = { ...state, talk: talk.state(), rung: ladder.rung };
    return { state: after, body: isDeclined ? null : value, isFailure: false };
  } catch (error) {
    if (!isReportedToModel(error) && !isTooLong(error) && !(error instanceof TaskStopError))
      throw error;
    const body = { error: error.toText() as unknown as Json };
    return { state: { ...state, rung: ladder.rung }, body, isFailure: true }; // AGENT-SESSION-2
  }
}

const isTooLong = (error: unknown): error is SysError =>
  error instanceof SysError && error.code === "ECONTEXT";

interface PendingMessage {
  readonly talk: Conversation;
  /** Undefined where the context that was given ends with the question. */
  readonly request: Message | undefined;
}

function readMessage(message: Delivered, state: SessionState, talk: Conversation): PendingMessage {
  const { body, from, type, topic } = message;
  if (from === "operator" && type === "invoke") return readInvoke(body as JsonObject, state, talk);
  if (from === "operator") return { talk, request: requestMessage(body) };
  const kind = topic === undefined ? `${type} from ${from}` : `${type} of ${topic} from ${from}`;
  return { talk, request: { role: "user", content: `[${kind}]\n${requestText(body)}` } };
}

function readInvoke(
  { input = null, context }: JsonObject,
  state: SessionState,
  talk: Conversation,
): PendingMessage {
  if (context === undefined) return { talk, request: requestMessage(input) };
  const given = context as unknown as Message[];
  const system = given.filter(({ role }) => role === "system");
  const rest = given.filter(({ role }) => role !== "system");
  const opening = system.length > 0 ? system : systemMessages(state.system ?? undefined);
  const fresh = new Conversation({ manifest: state.manifest, opening });
  fresh.push(...rest);
  const isAsked = input === null && rest.at(-1)?.role === "user";
  return { talk: fresh, request: isAsked ? undefined : requestMessage(input) };
}

async function reply(
  sys: Sys,
  { from, type, id, replyTo }: Delivered,
  { body, isFailure }: Answered,
): Promise<void> {
  const isInvoke = from === "operator" && type === "invoke";
  const to = from === "operator" ? (isInvoke ? id : undefined) : replyTo;
  if (to === undefined) return;
  try {
    // A process that waits for its answer gets it by replyTo, whatever it is called.
    await sys.send(from, body, { replyTo: to, ...(isInvoke && isFailure ? FAILURE : {}) });
  } catch (error) {
    if (!isReportedToModel(error)) throw error; // AGENT-SESSION-3: who asked has ended, or may not be answered
  }
}

const FAILURE = { type: "failure" } as const;
