// Chat answer: a run as a chat completion, whole or in pieces.
//
// OPENAI-CHAT-ANSWER-1  The pieces make the same message as the whole does: paragraphs with an empty line
//     between them.

import type { ProcessId } from "@aos/protocol";
import type { TurnResult } from "@aos/userland";
import { callersCall, type CallersCall, type CallersTool } from "./callers-tools.ts";
import { callId, chatId, createdAtOf } from "./ids.ts";
import type { ParagraphEvent } from "./live-paragraphs.ts";
import { BETWEEN, replyText } from "./outcome.ts";
import type { ClientRun } from "./client-run.ts";
import { frame } from "./sse.ts";
import { chatUsage, type RunUsage } from "./usage.ts";

const FINISH = { stop: "stop", tool: "tool_calls", length: "length" } as const;

interface Shape {
  readonly run: ClientRun;
  readonly model: string;
  readonly tools: readonly CallersTool[];
}

export const chatCompletion = (shape: Shape, turned: TurnResult, usage: RunUsage) => ({
  ...head(shape, "chat.completion"),
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: replyText(turned, shape.run.isLive) || null,
        refusal: null,
        ...(turned.calls.length === 0 ? {} : { tool_calls: callsOf(shape, turned) }),
      },
      logprobs: null,
      finish_reason: FINISH[turned.finish],
    },
  ],
  usage: chatUsage(usage),
});

const head = ({ run: { pid }, model }: Shape, object: string) => ({
  id: chatId(pid),
  object,
  created: createdAtOf(pid),
  model,
  aos: { pid },
});

const callsOf = ({ run, tools }: Shape, { calls }: TurnResult) =>
  calls.map((call, index) => chatCall(callersCall(call, callId(run.pid, index), tools)));

const chatCall = ({ id, kind, name, namespace, text }: CallersCall) => {
  const called = namespace === undefined ? name : `${namespace}__${name}`;
  return kind === "custom"
    ? { id, type: "custom", custom: { name: called, input: text } }
    : { id, type: "function", function: { name: called, arguments: text } };
};

export interface ChatStream extends Shape {
  readonly told: AsyncIterable<ParagraphEvent | { readonly turned: TurnResult }>;
  /** Undefined where the client did not ask. */
  readonly usage: ((pid: ProcessId) => Promise<RunUsage>) | undefined;
  readonly onFailure: (error: unknown) => unknown;
}

export async function* chatFrames(stream: ChatStream): AsyncGenerator<string> {
  const chunk = (delta: object, finish: string | null = null) =>
    frame({
      ...head(stream, "chat.completion.chunk"),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(stream.usage === undefined ? {} : { usage: null }),
    });
  yield chunk({ role: "assistant", content: "", refusal: null });
  let between = "";
  try {
    for await (const told of stream.told) {
      if ("words" in told) {
        yield chunk({ content: between + told.words }); // OPENAI-CHAT-ANSWER-1
        between = "";
      } else if ("end" in told) {
        between = BETWEEN;
      } else {
        const calls = callsOf(stream, told.turned);
        for (const [index, call] of calls.entries())
          yield chunk({ tool_calls: [{ index, ...call }] });
        yield chunk({}, FINISH[told.turned.finish]);
      }
    }
    if (stream.usage !== undefined) {
      const usage = chatUsage(await stream.usage(stream.run.pid));
      yield frame({ ...head(stream, "chat.completion.chunk"), choices: [], usage });
    }
    yield frame("[DONE]");
  } catch (error) {
    yield frame({ error: stream.onFailure(error) });
  }
}
