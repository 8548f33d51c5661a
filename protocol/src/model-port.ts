// The port of models: what the kernel requires of a driver for the models of a provider.

import type { DeviceContext, SecretPlace } from "./ports.ts";
import type { InferReply } from "./sys.ts";
import type { SyscallArgs } from "./syscalls.ts";

/** What a model's driver is told of the request that it works for. */
export interface ModelContext extends DeviceContext {
  /** The operator's key for a provider, for this one place: no process needs, or has, a right to it. */
  providerKey(name: string, place: SecretPlace): string;
}

/** The most that a request can cost; `usd` is null where no price is known. */
export interface WorstCase {
  readonly usd: number | null;
  readonly tokens: number;
}

/** What a model takes in and costs, as far as it is known. */
export interface ModelCard {
  /** With its provider: `anthropic/claude-sonnet-4-5`. */
  readonly model: string;
  /** Tokens that it can take in. */
  readonly window: number | null;
  readonly maxOutputTokens: number | null;
  readonly price: ModelPrice | null;
}

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Input that the vendor's cache had; `input` where it is not said. */
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
  /** The day of the price, and where it is from. */
  readonly date: string;
  readonly source: string;
}

export interface ModelDriver {
  /** The part before the slash: `scripted` answers for `scripted/NAME`. */
  readonly provider: string;
  readonly egress: boolean;
  /** Asked before the request is sent; what it really costs is never more. */
  worstCase(request: SyscallArgs<"infer">): WorstCase;
  /** Tokens of the request, counted here; and what is known of the model. */
  measure?(request: SyscallArgs<"infer">): { readonly tokens: number; readonly card: ModelCard };
  /** Of a driver that asks others: the model that `PROVIDER/…` leads to. Its places and limits count. */
  readonly passesOn?: (model: string) => string;
  /** The models that it knows by name; others may work as well. */
  cards?(): readonly ModelCard[];
  /**
   * One request, one try: waiting for a place, trying again and falling back are the kernel's. A failure
   * that may be over soon is ERATE or EUPSTREAM with `transient` in its detail (`isTransient`).
   */
  infer(
    request: SyscallArgs<"infer">,
    context: ModelContext,
  ): Promise<InferReply & { readonly usd: number | null }>;
}
