// ClientNote: what a request said beside the conversation. It stands in the input of its process, so that the
// journal has who asked for what, and a response can be told again.

import type { Json } from "@aos/protocol";
import type { Turn } from "@aos/userland";
import type { CallersTool } from "./callers-tools.ts";

export interface ClientNote {
  readonly api: "chat" | "responses";
  readonly tools: readonly CallersTool[];
  /** What the response repeats of its request. */
  readonly echo: Readonly<Record<string, Json>>;
  readonly user?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Whether it can be asked for again by its id. */
  readonly store: boolean;
}

export interface ClientInput extends Turn {
  readonly door: ClientNote;
}
