// TokenGauge: estimates the tokens of messages: the provider's count of the last request, plus an estimate by text
// length for later changes.

import type { Message } from "@aos/protocol";

const CHARACTERS_IN_A_TOKEN = 3;
const TOKENS_AROUND_A_MESSAGE = 4;
/** Vendors count an image or a page at about this. */
const TOKENS_OF_AN_ATTACHMENT = 1500;

/** A message is never changed, and a conversation asks about all of its own after every reply. */
const guesses = new WeakMap<Message, number>();

/** By length alone. It rather says too many than too few. */
export function guessTokens(message: Message): number {
  const known = guesses.get(message);
  if (known !== undefined) return known;
  const guess = guessAnew(message);
  guesses.set(message, guess);
  return guess;
}

function guessAnew({ content, toolCalls, reasoning, attachments }: Message): number {
  const words =
    content.length +
    (toolCalls === undefined ? 0 : JSON.stringify(toolCalls).length) +
    (reasoning ?? []).reduce((sum, { text }) => sum + text.length, 0);
  return (
    TOKENS_AROUND_A_MESSAGE +
    Math.ceil(words / CHARACTERS_IN_A_TOKEN) +
    (attachments?.length ?? 0) * TOKENS_OF_AN_ATTACHMENT
  );
}

const guessAll = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + guessTokens(message), 0);

export class TokenGauge {
  /** What is there beside the messages, as the offers of tools. */
  readonly #beside: number;
  readonly #scale: number;

  /** `counted` is what was counted for `measured`; undefined where nobody said. */
  constructor(counted: number | undefined, measured: readonly Message[]) {
    const guess = guessAll(measured);
    const tokens = counted ?? guess;
    this.#beside = Math.max(0, tokens - guess);
    this.#scale = guess === 0 ? 1 : Math.min(1, tokens / guess);
  }

  of(messages: readonly Message[]): number {
    return Math.ceil(this.#beside + this.#scale * guessAll(messages));
  }
}
