// Response frames: a run as the events of a response, in the order in which clients expect them.
//
//   created, in_progress
//   for the words   output_item.added, content_part.added, output_text.delta …, output_text.done,
//                   content_part.done, output_item.done
//   for each call   output_item.added, …arguments.delta, …arguments.done, output_item.done
//   completed | incomplete | failed
//
// RESPONSE-FRAMES-1  Events are numbered from 0 without a gap; an item is done before the next one is added.
// RESPONSE-FRAMES-2  The last event has the whole response, made of the items that are done.

import type { ProcessId } from "@aos/protocol";
import type { FailureText } from "@aos/protocol";
import type { TurnResult } from "@aos/userland";
import type { ParagraphEvent } from "./live-paragraphs.ts";
import { BETWEEN } from "./outcome.ts";
import {
  callItems,
  messageItem,
  responseObject,
  type ResponseShape,
  type ResponseState,
  responseStatus,
  textPart,
} from "./response-object.ts";
import { frame } from "./sse.ts";
import type { RunUsage } from "./usage.ts";

export interface ResponseStream extends ResponseShape {
  readonly told: AsyncIterable<ParagraphEvent | { readonly turned: TurnResult }>;
  readonly usage: (pid: ProcessId) => Promise<RunUsage>;
  readonly onFailure: (error: unknown) => FailureText;
}

export async function* responseFrames(stream: ResponseStream): AsyncGenerator<string> {
  const events = new Events(stream);
  yield events.lifecycle("created", { status: "in_progress", output: [] });
  yield events.lifecycle("in_progress", { status: "in_progress", output: [] });
  try {
    for await (const told of stream.told) {
      if ("words" in told) yield* events.say(told.words);
      else if ("end" in told) events.endParagraph();
      else yield* finish(events, stream, told.turned);
    }
  } catch (error) {
    const failure = stream.onFailure(error);
    yield* events.endWords("incomplete");
    yield events.lifecycle("failed", { status: "failed", output: events.done, failure });
  }
}

async function* finish(
  events: Events,
  { usage, run, door }: ResponseStream,
  turned: TurnResult,
): AsyncGenerator<string> {
  yield* events.endWords(turned.finish === "length" ? "incomplete" : "completed");
  for (const item of callItems(run.pid, turned, door.tools)) yield* events.call(item);
  const status = responseStatus(turned);
  const state = { status, output: events.done, usage: await usage(run.pid) };
  yield events.lifecycle(status === "incomplete" ? "incomplete" : "completed", state);
}

type CallItem = ReturnType<typeof callItems>[number];

class Events {
  readonly #shape: ResponseShape;
  readonly #done: object[] = [];
  #number = 0;
  #index = 0;
  #text: string | undefined;
  #between = "";

  constructor(shape: ResponseShape) {
    this.#shape = shape;
  }

  /** In their order. */
  get done(): readonly object[] {
    return this.#done;
  }

  lifecycle(name: string, state: ResponseState): string {
    return this.#event(name, { response: responseObject(this.#shape, state) });
  }

  *say(words: string): Generator<string> {
    if (this.#text === undefined) {
      this.#text = "";
      const item = { ...this.#message, status: "in_progress", content: [] };
      yield this.#event("output_item.added", { output_index: this.#index, item });
      yield this.#event("content_part.added", { ...this.#part, part: textPart("") });
    }
    const delta = this.#between + words;
    this.#between = "";
    this.#text += delta;
    yield this.#event("output_text.delta", { ...this.#part, delta, logprobs: [] });
  }

  endParagraph(): void {
    if (this.#text !== undefined) this.#between = BETWEEN;
  }

  *endWords(status: "completed" | "incomplete"): Generator<string> {
    const text = this.#text;
    if (text === undefined) return;
    yield this.#event("output_text.done", { ...this.#part, text, logprobs: [] });
    yield this.#event("content_part.done", { ...this.#part, part: textPart(text) });
    this.#text = undefined;
    yield* this.#finish(messageItem(this.#shape.run.pid, text, status));
  }

  *call(item: CallItem): Generator<string> {
    const isCustom = item.type === "custom_tool_call";
    const text = isCustom ? item.input : item.arguments;
    const empty = isCustom ? { ...item, input: "" } : { ...item, arguments: "" };
    const place = { output_index: this.#index, item_id: item.id };
    const about = isCustom ? "custom_tool_call_input" : "function_call_arguments";
    yield this.#event("output_item.added", {
      output_index: this.#index,
      item: { ...empty, status: "in_progress" },
    });
    yield this.#event(`${about}.delta`, { ...place, delta: text });
    yield this.#event(`${about}.done`, {
      ...place,
      ...(isCustom ? { input: text } : { name: item.name, arguments: text }),
    });
    yield* this.#finish(item);
  }

  *#finish(item: object): Generator<string> {
    yield this.#event("output_item.done", { output_index: this.#index, item });
    this.#done.push(item);
    this.#index += 1;
  }

  get #message() {
    return messageItem(this.#shape.run.pid, this.#text ?? "");
  }

  get #part() {
    return { output_index: this.#index, content_index: 0, item_id: this.#message.id };
  }

  /** RESPONSE-FRAMES-1. */
  #event(name: string, more: object): string {
    const type = `response.${name}`;
    return frame({ type, sequence_number: this.#number++, ...more }, type);
  }
}
