// Reply: assembles the answer of a model from its stream.
//
// PROVIDER-REPLY-1  Text and reasoning are passed on as they arrive; the returned reply has all of it.
// PROVIDER-REPLY-2  A stream without its end mark is a failure, however complete it looks.
// PROVIDER-REPLY-3  A truncated tool call is dropped. Arguments that are not JSON are kept as text, so that the agent
//     reports them and the model can repeat the call.
// PROVIDER-REPLY-4  The length of an answer is limited, whatever its token count.

import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import {
  type InferReply,
  type Json,
  type Progress,
  SysError,
  type Thought,
  type ToolCall,
} from "@aos/protocol";
import { cutShort, endedBadly } from "./failure.ts";
import { hasSignature, thoughtOf, WORDS } from "./thoughts.ts";
import type { ToolNames } from "./tool-names.ts";

const LONGEST_CHARS = 32_000_000;

interface Listener {
  readonly model: string;
  readonly provider: string;
  readonly names: ToolNames;
  readonly progress: (delta: Progress) => void;
  readonly heard: () => void;
}

export class Reply {
  readonly #listener: Listener;
  #text = "";
  readonly #thoughts = new Map<string, { text: string; data?: SharedV4ProviderMetadata }>();
  readonly #sealed: Thought[] = [];
  readonly #calls: { id: string; wire: string; input: string }[] = [];
  /** Arguments on their way, for what a stopped request has cost. */
  #typed = "";
  #isEnded = false;
  #chars = 0;
  /** Whether the vendor has taken the request up: from then on it costs something. */
  hasBegun = false;
  #finish: LanguageModelV4FinishReason | undefined;
  usage: LanguageModelV4Usage | undefined;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** All that came so far. */
  get spoken(): readonly string[] {
    return [this.#text, this.#typed, ...[...this.#thoughts.values()].map(({ text }) => text)];
  }

  /** The next part of it. */
  readonly take = (part: LanguageModelV4StreamPart): void => {
    // A package says this before the vendor has said anything.
    if (part.type !== "stream-start") this.#listener.heard();
    this.#take(part);
  };

  /** Nothing more comes. */
  end(): void {
    const { unified, raw } = this.#finish ?? { unified: "interrupted", raw: undefined };
    if (unified === "interrupted" || !this.#isEnded) throw cutShort(this.#listener.model); // PROVIDER-REPLY-2
    if (unified === "error") throw endedBadly(this.#listener.model, raw);
  }

  #take(part: LanguageModelV4StreamPart): void {
    this.#hold(part);
    switch (part.type) {
      case "text-delta":
        this.#text += part.delta;
        if (part.delta !== "") this.#listener.progress({ kind: "text", text: part.delta });
        this.#seal(part.providerMetadata);
        break;
      case "text-start":
      case "text-end":
        this.#seal(part.providerMetadata);
        break;
      case "reasoning-start":
      case "reasoning-end":
        this.#think(part.id, "", part.providerMetadata);
        break;
      case "reasoning-delta":
        this.#think(part.id, part.delta, part.providerMetadata);
        if (part.delta !== "") this.#listener.progress({ kind: "reasoning", text: part.delta });
        break;
      case "tool-input-delta":
        this.#typed += part.delta;
        break;
      case "tool-call":
        this.#call(part.toolCallId, part.toolName, part.input, part.providerMetadata);
        break;
      case "raw":
        this.#isEnded ||= isEnd(part.rawValue);
        break;
      case "finish":
        this.#finish = part.finishReason;
        this.usage = part.usage;
        break;
      case "error":
        throw part.error;
      // What a vendor does by itself, which it was not asked for, and what only frames the rest.
      case "stream-start":
      case "response-metadata":
      case "ping":
      case "tool-input-start":
      case "tool-input-end":
      case "tool-approval-request":
      case "tool-result":
      case "file":
      case "reasoning-file":
      case "source":
      case "custom":
        break;
    }
  }

  #hold(part: LanguageModelV4StreamPart): void {
    this.hasBegun ||= BEGINNINGS.has(part.type);
    if ("delta" in part) this.#chars += part.delta.length;
    if (this.#chars > LONGEST_CHARS)
      // PROVIDER-REPLY-4
      throw new SysError("EUPSTREAM", `${this.#listener.model} sends an answer without end`);
  }

  #think(id: string, delta: string, data: SharedV4ProviderMetadata | undefined): void {
    const before = this.#thoughts.get(id) ?? { text: "" };
    const joined = joinData(before.data, data);
    this.#thoughts.set(id, {
      text: before.text + delta,
      ...(joined === undefined ? {} : { data: joined }),
    });
  }

  #seal(data: SharedV4ProviderMetadata | undefined, on = WORDS): void {
    if (hasSignature(data)) this.#sealed.push(thoughtOf("", this.#listener.provider, data, on));
  }

  #call(id: string, wire: string, input: string, data: SharedV4ProviderMetadata | undefined): void {
    const taken = new Set(this.#calls.map((call) => call.id));
    // Some servers number every call the same, or not at all.
    const own = id !== "" && !taken.has(id) ? id : `call_${this.#calls.length + 1}_${id}`;
    this.#calls.push({ id: own, wire, input });
    this.#seal(data, own);
  }

  whole(): Omit<InferReply, "usage"> {
    const { provider, names } = this.#listener;
    const wasCut = this.#finish?.unified === "length";
    const toolCalls: ToolCall[] = [];
    for (const { id, wire, input } of this.#calls) {
      const args = argumentsOf(input);
      if (wasCut && typeof args === "string") continue; // PROVIDER-REPLY-3
      toolCalls.push({ id, tool: names.own(wire), args });
    }
    const reasoning = [
      ...[...this.#thoughts.values()].map(({ text, data }) => thoughtOf(text, provider, data)),
      ...this.#sealed,
    ];
    return {
      text: this.#text,
      toolCalls,
      finish: finishOf(this.#finish?.unified, toolCalls.length > 0),
      ...(reasoning.length === 0 ? {} : { reasoning }),
    };
  }
}

const BEGINNINGS: ReadonlySet<LanguageModelV4StreamPart["type"]> = new Set([
  "response-metadata",
  "text-delta",
  "reasoning-delta",
  "tool-input-delta",
  "tool-call",
]);

function finishOf(
  unified: LanguageModelV4FinishReason["unified"] | undefined,
  hasCalls: boolean,
): InferReply["finish"] {
  if (unified === "length") return "length";
  if (unified === "content-filter") return "filter";
  return hasCalls ? "tool" : "stop";
}

function argumentsOf(input: string): Json {
  if (input.trim() === "") return {};
  try {
    return JSON.parse(input) as Json;
  } catch {
    return input;
  }
}

function joinData(
  before: SharedV4ProviderMetadata | undefined,
  more: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (before === undefined || more === undefined) return more ?? before;
  const joined = { ...before };
  for (const [name, fields] of Object.entries(more)) joined[name] = { ...joined[name], ...fields };
  return joined;
}

/** PROVIDER-REPLY-2. How each vendor's stream says that it is over. */
function isEnd(raw: unknown): boolean {
  const { type, done, choices, candidates, promptFeedback } = (raw ?? {}) as {
    type?: string;
    done?: boolean;
    choices?: { finish_reason?: string | null }[];
    candidates?: { finishReason?: string | null }[];
    promptFeedback?: { blockReason?: string };
  };
  return (
    type === "message_stop" ||
    type === "response.completed" ||
    type === "response.incomplete" ||
    done === true ||
    typeof choices?.[0]?.finish_reason === "string" ||
    typeof candidates?.[0]?.finishReason === "string" ||
    promptFeedback?.blockReason !== undefined
  );
}
