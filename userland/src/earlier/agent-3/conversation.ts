// FROZEN with version 3 of `agent` (see agent.ts beside it).
//
// Conversation: the messages that an agent sends to its model, kept within the context window.
//
//   const talk = new Conversation({ manifest, opening })
//   const reply = await sys.infer({ model, messages: talk.messages, tools: [...tools, ...talk.tools] })
//   talk.push(answer, ...results)
//   await talk.afterReply(sys, reply)          may make it shorter before the next request
//   … catch (ECONTEXT) if (!(await talk.afterOverflow(sys, error))) throw error
//
// CONTEXT-CONVERSATION-1  Removed messages were part of an earlier request, so the journal has them
//                         (`/ctx/archive/N`). A message in their place says what is missing and where it is.
// CONTEXT-CONVERSATION-2  A call and its results are removed together or not at all.
// CONTEXT-CONVERSATION-3  System messages stay; so does the task of a non-persistent agent while it is short.
// CONTEXT-CONVERSATION-4  If no summary is possible, or it is still too long, messages are removed without one.

import {
  ARCHIVE,
  archiveNoticeMessage,
  type InferReply,
  type Json,
  type Manifest,
  type Message,
  readArchiveNotice,
  spanOf,
  type Sys,
  type SysError,
  type ToolOffer,
} from "@aos/protocol";
import { cutAfter, cutAtOrBefore, lastPart } from "./cut-point.ts";
import offers from "./offers.json" with { type: "json" };
import { summarise } from "./summary.ts";

const ARCHIVE_TOOLS: ReadonlySet<string> = new Set(["context.read", "context.search"]);
const COMPACT_AT = 0.7;
const KEEP = 6;
/** Without a summary as much goes as leaves this part of what is allowed: not every turn is to be one. */
const AFTER_TRUNCATION = 0.7;
/** The provider may count more than was counted here: what it refused has to be this much shorter. */
const AFTER_REFUSAL = 0.8;
/** A task longer than this part of the window is summarised like the rest. */
const LONGEST_TASK = 0.25;
const HISTORY_AFTER_CUT = 0.75;

type Config = Pick<Manifest, "model" | "context" | "history" | "persistent">;

interface Measured {
  readonly gauge: TokenGauge;
  readonly window: number | undefined;
  /** Messages that the journal has: those before this index. */
  readonly sent: number;
  readonly model: string;
}

export class Conversation {
  readonly #config: Config;
  #messages: Message[];
  /** How many messages it was opened with. */
  readonly #opening: number;
  #isListening = false;
  #wasTold = false;

  constructor({ manifest, opening }: { manifest: Config; opening: readonly Message[] }) {
    this.#config = manifest;
    this.#messages = [...opening];
    this.#opening = opening.length;
  }

  static from(manifest: Config, state: Json): Conversation {
    const { messages, opening } = state as unknown as { messages: Message[]; opening: number };
    const talk = new Conversation({ manifest, opening: messages.slice(0, opening) });
    talk.push(...messages.slice(opening));
    return talk;
  }

  /** For a checkpoint. */
  state(): Json {
    return { messages: this.#messages as unknown as Json, opening: this.#opening };
  }

  /** What to send. */
  get messages(): Message[] {
    return [...this.#messages];
  }

  push(...messages: Message[]): void {
    this.#messages.push(...messages);
  }

  /** Once something was taken out: what reads it. They are system calls. */
  get tools(): ToolOffer[] {
    return this.#messages.some((message) => readArchiveNotice(message) !== undefined)
      ? (offers as ToolOffer[]).filter(({ name }) => ARCHIVE_TOOLS.has(name))
      : [];
  }

  /** Begins to hear SIGCTX; from then on one makes it shorter after the next reply. */
  async listen(sys: Sys): Promise<void> {
    if (this.#isListening) return;
    this.#isListening = true;
    await sys.handle("SIGCTX", () => {
      this.#wasTold = true;
    });
  }

  /** To be called when the reply, and what its calls came to, are pushed. */
  async afterReply(sys: Sys, reply: InferReply, { model }: { model?: string } = {}): Promise<void> {
    await this.listen(sys);
    const said = this.#messages.findLastIndex(({ role }) => role === "assistant");
    const sent = said === -1 ? this.#messages.length : said;
    const tokens = reply.usage.inputTokens + reply.usage.outputTokens;
    const measured: Measured = {
      gauge: new TokenGauge(tokens, this.#messages.slice(0, sent + 1)),
      window: this.#windowOf(reply.context?.window),
      sent,
      model: model ?? this.#firstModel,
    };
    if (this.#isFull(measured) || (this.#wasTold && this.#isWorthIt(measured)))
      await this.#compact(sys, measured);
    this.#wasTold = false;
    if (this.#config.persistent === true && reply.toolCalls.length === 0)
      await this.#keepHistory(sys, measured);
  }

  /** A request was refused with ECONTEXT. False when there is nothing that could go. */
  async afterOverflow(
    sys: Sys,
    { detail }: SysError,
    { model }: { model?: string } = {},
  ): Promise<boolean> {
    const { tokens, window } = (detail ?? {}) as { tokens?: number; window?: number };
    const before = this.#messages;
    await this.#compact(
      sys,
      {
        gauge: new TokenGauge(tokens, this.#messages),
        window: this.#windowOf(window),
        sent: this.#messages.length,
        model: model ?? this.#firstModel,
      },
      true,
    );
    return this.#messages !== before;
  }

  #isFull({ gauge, window }: Measured): boolean {
    return window !== undefined && gauge.of(this.#messages) >= this.#allowed(window);
  }

  /** Told to by somebody: not for less than it would keep anyway. */
  #isWorthIt({ sent, window }: Measured): boolean {
    return this.#goesBefore(sent) - this.#headLength(window) >= this.#keep;
  }

  /** Replaces what is old by its summary, and more of it by nothing where that is not enough. */
  async #compact(sys: Sys, measured: Measured, isRefused = false): Promise<void> {
    const { gauge, window, sent } = measured;
    const head = this.#headLength(window);
    const old = this.#goesBefore(sent);
    const allowed = Math.min(
      window === undefined ? Infinity : this.#allowed(window),
      isRefused ? gauge.of(this.#messages) * AFTER_REFUSAL : Infinity,
    );
    const archive = (await sys.list(ARCHIVE)).length + 1;

    const summary = await this.#summarise(sys, measured, head, old);
    const summarised = this.#numberAt(old);
    const replaced = (cut: number, withSummary: boolean): Message[] =>
      this.#without(head, cut, archive, withSummary ? { summary, summarised } : {});

    if (summary !== undefined && gauge.of(replaced(old, true)) < allowed) {
      this.#messages = replaced(old, true);
      return;
    }
    const furthest = isRefused ? this.#furthest() : Math.min(sent, lastPart(this.#messages));
    const target = allowed * AFTER_TRUNCATION;
    const hasRoom = (cut: number, withSummary: boolean): boolean =>
      gauge.of(replaced(cut, withSummary)) < target;
    let cut = Math.max(head, Math.min(old, furthest));
    while (cut < furthest && !hasRoom(cut, summary !== undefined))
      cut = Math.min(furthest, cutAfter(this.#messages, cut));
    if (this.#isWorthTaking(head, cut))
      this.#messages = replaced(
        cut,
        summary !== undefined && gauge.of(replaced(cut, true)) < allowed,
      );
  }

  /** The most that can go after a refusal: a call whose results alone are too much, but no request. */
  #furthest(): number {
    return this.#messages.at(-1)?.role === "tool"
      ? this.#messages.length
      : lastPart(this.#messages);
  }

  async #summarise(
    sys: Sys,
    { window, model }: Measured,
    head: number,
    old: number,
  ): Promise<string | undefined> {
    if (!this.#isWorthTaking(head, old)) return undefined;
    return summarise(sys, this.#messages.slice(head, old), {
      model: this.#config.context?.summarizer ?? model,
      first: this.#numberAt(head) + 1,
      last: this.#numberAt(old),
      window,
    });
  }

  /** Of a persistent agent: what is beyond its history limits goes, with no summary. */
  async #keepHistory(sys: Sys, { window, sent }: Measured): Promise<void> {
    const { messages: mostMessages = Infinity, tokens: mostTokens = Infinity } =
      this.#config.history ?? {};
    const head = this.#headLength(window);
    const excess = (cut: number, part: number): boolean => {
      const kept = this.#messages.slice(cut).filter((one) => readArchiveNotice(one) === undefined);
      const tokens = kept.reduce((sum, message) => sum + guessTokens(message), 0);
      return kept.length > mostMessages * part || tokens > mostTokens * part;
    };
    if (!excess(head, 1)) return;
    const furthest = Math.min(sent, lastPart(this.#messages));
    let cut = head;
    while (cut < furthest && excess(cut, HISTORY_AFTER_CUT))
      cut = Math.min(furthest, cutAfter(this.#messages, cut));
    const request = this.#messages.findIndex(({ role }, index) => index >= cut && role === "user");
    if (request !== -1 && request <= furthest) cut = request; // an answer without its question says little
    if (!this.#isWorthTaking(head, cut)) return;
    const archive = (await sys.list(ARCHIVE)).length + 1;
    this.#messages = this.#without(head, cut, archive, {});
  }

  /** CONTEXT-CONVERSATION-1. */
  #without(
    head: number,
    cut: number,
    archive: number,
    more: { summary?: string | undefined; summarised?: number },
  ): Message[] {
    const range = { first: this.#numberAt(head) + 1, last: this.#numberAt(cut), archive };
    return [
      ...this.#messages.slice(0, head),
      archiveNoticeMessage({ ...range, ...more }),
      ...this.#messages.slice(cut),
    ];
  }

  /** Something that is not itself in the place of others. */
  #isWorthTaking = (head: number, cut: number): boolean =>
    this.#messages.slice(head, cut).some((message) => readArchiveNotice(message) === undefined);

  /** Where what is kept as it is begins (CONTEXT-CONVERSATION-2). */
  #goesBefore(sent: number): number {
    return cutAtOrBefore(this.#messages, Math.min(this.#messages.length - this.#keep, sent));
  }

  /** CONTEXT-CONVERSATION-3. */
  #headLength(window: number | undefined): number {
    const rest = this.#messages.findIndex(({ role }) => role !== "system");
    const system = rest === -1 ? this.#messages.length : rest;
    if (this.#config.persistent === true || system >= this.#opening) return system;
    const task = this.#messages[system]!;
    const isShort = guessTokens(task) <= LONGEST_TASK * (window ?? Infinity);
    return readArchiveNotice(task) === undefined && isShort ? system + 1 : system;
  }

  /** How many messages of the whole conversation are before an index. */
  #numberAt = (index: number): number =>
    this.#messages.slice(0, index).reduce((sum, message) => sum + spanOf(message), 0);

  #allowed = (window: number): number => (this.#config.context?.compactAt ?? COMPACT_AT) * window;

  get #keep(): number {
    return this.#config.context?.keep ?? KEEP;
  }

  get #firstModel(): string {
    const { model = "" } = this.#config;
    return typeof model === "string" ? model : model[0]!;
  }

  #windowOf(told: number | undefined): number | undefined {
    const own = this.#config.context?.window;
    return told === undefined ? own : Math.min(told, own ?? told);
  }
}

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

/** The tokens of messages: the provider's count of the last request, plus an estimate by text length for later changes. */
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
