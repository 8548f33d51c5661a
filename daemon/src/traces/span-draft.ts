// A span before OpenTelemetry has it: plain data, with the attributes of its conventions for generative AI.

export type AttributeValue = string | number | boolean | string[];

export interface SpanDraft {
  readonly name: string;
  readonly kind: "client" | "internal";
  /** In hex: 16 bytes, 8 bytes. */
  readonly trace: string;
  readonly id: string;
  readonly parent: string | undefined;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** A code of ours: why it is no success. */
  readonly failure: string | undefined;
}

/** The conventions' names for vendors, where ours are others. */
const providerNames: Readonly<Record<string, string>> = { google: "gcp.gemini" };

/** `anthropic/claude-x` is the model `claude-x` of the provider `anthropic`. */
export function modelAttributes(model: string): Record<string, string> {
  const [provider = ""] = model.split("/", 1);
  return {
    "gen_ai.provider.name": providerNames[provider] ?? provider,
    "gen_ai.request.model": model.slice(provider.length + 1),
  };
}

/** The conventions' words for why a model stopped. */
export const finishReasons: Readonly<Record<string, string>> = {
  stop: "stop",
  tool: "tool_call",
  length: "length",
  filter: "content_filter",
};
