// Chat answer: converts the events of a streamed chat completion to the parts of a reply (reply.ts).
//
//   const answer = new ChatAnswer({ provider, take, calls });
//   await readEvents(body, (data) => answer.piece(data));
//   answer.end();
//
// PROVIDER-CHAT-ANSWER-1  An event that is not JSON, or not a chunk, is a failure, because its content would be
//     missing in the answer.
// PROVIDER-CHAT-ANSWER-2  An error that a server reports in its stream is a failure with its text.
// PROVIDER-CHAT-ANSWER-3  Calls are assembled by the vendors' package (StreamingToolCallTracker), which handles how
//     servers number, name and split them. A call without a name is a failure.
// PROVIDER-CHAT-ANSWER-4  An answer without a finish reason has no end, and the reply counts as cut (PROVIDER-REPLY-2
//     of reply.ts).

import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { StreamingToolCallDelta, StreamingToolCallTracker } from "@ai-sdk/provider-utils";
import { type ChatChunk, readChunk, type ToolCallDelta } from "./chat-chunk.ts";

type Take = (part: LanguageModelV4StreamPart) => void;
type Tracker = typeof StreamingToolCallTracker<Delta>;
interface Delta extends StreamingToolCallDelta, Pick<ToolCallDelta, "extra_content"> {}

interface Parts {
  /** The provider's name: what its calls are sealed with is kept under it. */
  readonly provider: string;
  readonly take: Take;
  readonly Tracker: Tracker;
}

const DONE = "[DONE]";
const REASONING = "reasoning-0";
const TEXT = "txt-0";

export class ChatAnswer {
  readonly #parts: Parts;
  #calls: InstanceType<Tracker> | undefined;
  /** By their index: calls of which no name has come yet. */
  #unnamed: Map<number, Delta> | undefined;
  #named: Set<number> | undefined;
  #hasBegun = false;
  #hasRefusal = false;
  #finish: string | undefined;
  #usage: ChatChunk["usage"];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The data of one event. */
  piece(data: string): void {
    if (data === DONE) return;
    const { take } = this.#parts;
    const chunk = readChunk(data); // PROVIDER-CHAT-ANSWER-1
    take({ type: "raw", rawValue: chunk });
    if (chunk.error !== undefined && chunk.error !== null)
      return take({ type: "error", error: chunk.error }); // PROVIDER-CHAT-ANSWER-2
    if (!this.#hasBegun && (chunk.id || chunk.model || chunk.created)) {
      this.#hasBegun = true;
      take({ type: "response-metadata" });
    }
    if (chunk.usage !== undefined && chunk.usage !== null) this.#usage = chunk.usage;
    const [choice] = chunk.choices;
    if (choice === undefined) return;
    if (typeof choice.finish_reason === "string") this.#finish = choice.finish_reason;
    if (choice.delta !== undefined && choice.delta !== null) this.#take(choice.delta);
  }

  #take(delta: NonNullable<ChatChunk["choices"][number]["delta"]>): void {
    this.#think(delta.reasoning_content ?? delta.reasoning);
    const { content } = delta;
    if (typeof content === "string") this.#say(content);
    else if (content !== undefined && content !== null)
      for (const part of content)
        if (part.type === "text") this.#say(part.text);
        else if (part.type === "thinking") this.#think(thinkingText(part.thinking));
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      this.#hasRefusal = true;
      this.#say(delta.refusal);
    }
    for (const call of delta.tool_calls ?? []) this.#call(call);
  }

  #say(delta: unknown): void {
    if (typeof delta === "string" && delta !== "")
      this.#parts.take({ type: "text-delta", id: TEXT, delta });
  }

  #think(delta: unknown): void {
    if (typeof delta === "string" && delta !== "")
      this.#parts.take({ type: "reasoning-delta", id: REASONING, delta });
  }

  /** PROVIDER-CHAT-ANSWER-3. Some servers name a call only after its first piece: till then its pieces are kept. */
  #call(given: ToolCallDelta): void {
    const { index } = given;
    if (index === undefined || index === null || this.#named?.has(index) === true)
      return this.#track(given);
    const before = this.#unnamed?.get(index);
    const joined: Delta = {
      index,
      id: before?.id ?? given.id ?? null,
      extra_content: before?.extra_content ?? given.extra_content ?? null,
      function: {
        name: given.function.name ?? null,
        arguments: (before?.function?.arguments ?? "") + (given.function.arguments ?? ""),
      },
    };
    if (joined.function?.name == null) {
      (this.#unnamed ??= new Map()).set(index, joined);
      return;
    }
    this.#unnamed?.delete(index);
    (this.#named ??= new Set()).add(index);
    this.#track(joined);
  }

  #track(delta: Delta): void {
    const { provider, take, Tracker } = this.#parts;
    this.#calls ??= new Tracker(
      { enqueue: take },
      {
        extractMetadata: (one) => sealOf(one, provider),
        buildToolCallProviderMetadata: (data) => data,
      },
    );
    this.#calls.processDelta(delta);
  }

  /** The stream is over. */
  end(): void {
    for (const delta of this.#unnamed?.values() ?? []) this.#track(delta); // which throws
    this.#calls?.flush();
    if (this.#finish === undefined) return; // PROVIDER-CHAT-ANSWER-4
    const unified = finishOf(this.#finish, this.#hasRefusal);
    this.#parts.take({
      type: "finish",
      finishReason: { unified, raw: this.#finish },
      usage: usageOf(this.#usage),
    });
  }
}

function sealOf({ extra_content: more }: Delta, by: string): SharedV4ProviderMetadata | undefined {
  const thoughtSignature = more?.google?.thought_signature;
  return thoughtSignature ? { [by]: { thoughtSignature } } : undefined;
}

const FINISHES: Readonly<Record<string, LanguageModelV4FinishReason["unified"]>> = {
  length: "length",
  content_filter: "content-filter",
  function_call: "tool-calls",
  tool_calls: "tool-calls",
};

/** Who refuses says that it is done. */
function finishOf(raw: string, hasRefusal: boolean): LanguageModelV4FinishReason["unified"] {
  if (raw === "stop") return hasRefusal ? "content-filter" : "stop";
  return Object.hasOwn(FINISHES, raw) ? FINISHES[raw]! : "other";
}

/** As it was said: what is no count is not believed (provider.ts). */
function usageOf(said: ChatChunk["usage"]): LanguageModelV4Usage {
  const cacheRead = said?.prompt_tokens_details?.cached_tokens ?? undefined;
  const reasoning = said?.completion_tokens_details?.reasoning_tokens ?? undefined;
  return {
    inputTokens: {
      total: said?.prompt_tokens ?? undefined,
      noCache: undefined,
      cacheRead,
      cacheWrite: undefined,
    },
    outputTokens: { total: said?.completion_tokens ?? undefined, text: undefined, reasoning },
  };
}

function thinkingText(pieces: unknown): string {
  if (!Array.isArray(pieces)) return "";
  return pieces
    .map((piece: { type?: unknown; text?: unknown } | null) =>
      piece?.type === "text" && typeof piece.text === "string" ? piece.text : "",
    )
    .join("");
}
