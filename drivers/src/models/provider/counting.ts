// CountingOptions: counts the tokens of a request for a vendor: an estimate, for the fill level of the context, and
// an upper bound on billing, for reservations.
//
//   text      estimate: o200k tokens × `usual`. bound: o200k tokens × `most` + digits + bytes beyond
//             ASCII × `foreign`, and never more than there are bytes. For models of OpenAI that use o200k
//             both are nearly exact. The others keep their tokenizers to themselves: the factors have a
//             margin over other real tokenizers (counting.test.ts), and are not proved for theirs.
//   images    one number for each, from the vendor's rule for a large one
//   files     pages that can be seen in the file, or that could be in so many bytes
//   thoughts  what comes back sealed counts by its length
//
// COUNTING-1  The bound grows with every part of the request and is never below the estimate.
// COUNTING-2  A request, message or list of tools is counted once. They are identified as objects, which are never
//     changed; a copy is counted anew.

import type { Attachment, Json, SyscallArgs } from "@aos/protocol";
import { isTextLike, attachmentText } from "./attachments.ts";
import { sizeOf } from "./tokens.ts";

type Request = SyscallArgs<"infer">;

/** How a vendor counts. */
export interface CountingOptions {
  readonly usual: number;
  readonly most: number;
  /** More tokens for every byte of a character beyond ASCII. */
  readonly foreign: number;
  readonly image: number;
  readonly page: number;
  /** What the vendor itself says to the model when there are tools, or a form of the answer. */
  readonly toolWords: number;
  readonly formWords: number;
}

export interface TokenCount {
  readonly estimate: number;
  readonly bound: number;
}

const REQUEST = 24;
const MESSAGE = 8;
const CALL = 16;
const TOOL = 16;

/** COUNTING-2. */
export class TokenCounts {
  readonly #known = new WeakMap<Request["messages"], Count>();

  of(request: Request, counting: CountingOptions): TokenCount {
    const { messages, tools, output } = request;
    const known = this.#known.get(messages);
    const isSame =
      known?.tools === tools && known?.output === output && known?.counting === counting;
    if (known !== undefined && isSame) return known.counted;
    const counted = countRequest(request, counting);
    this.#known.set(messages, { tools, output, counting, counted });
    return counted;
  }
}

interface Count extends Pick<Request, "tools" | "output"> {
  readonly counting: CountingOptions;
  readonly counted: TokenCount;
}

export function countRequest(request: Request, counting: CountingOptions): TokenCount {
  const { messages, tools = [], output } = request;
  const sum = new Sum(counting);
  sum.fixed(REQUEST);
  for (const message of messages) sum.add(countOnce(message, counting, addMessage));
  if (tools.length > 0) {
    sum.add(countOnce(tools, counting, addTools));
    sum.fixed(counting.toolWords);
  }
  if (output !== undefined) {
    sum.fixed(counting.formWords);
    sum.text(JSON.stringify(output.schema));
  }
  return sum.total();
}

/** COUNTING-2: how each part was counted last. */
const counts = new WeakMap<object, { readonly by: CountingOptions; readonly sum: Sum }>();

function countOnce<Part extends object>(
  part: Part,
  by: CountingOptions,
  add: (sum: Sum, part: Part) => void,
): Sum {
  const known = counts.get(part);
  if (known?.by === by) return known.sum;
  const sum = new Sum(by);
  add(sum, part);
  counts.set(part, { by, sum });
  return sum;
}

function addMessage(sum: Sum, message: Request["messages"][number]): void {
  const { content, attachments, toolCalls, toolCallId, reasoning } = message;
  sum.fixed(MESSAGE);
  sum.text(content);
  if (toolCallId !== undefined) sum.text(toolCallId);
  for (const each of attachments ?? []) sum.attachment(each);
  for (const { text, meta } of reasoning ?? []) {
    sum.text(text);
    if (meta !== undefined) sum.sealed(meta);
  }
  for (const { id, tool, args } of toolCalls ?? []) {
    sum.fixed(CALL);
    sum.text(`${id} ${tool}`);
    sum.text(JSON.stringify(args)); // as it is sent
  }
}

function addTools(sum: Sum, tools: NonNullable<Request["tools"]>): void {
  for (const { name, description, input } of tools) {
    sum.fixed(TOOL);
    sum.text(name);
    sum.text(description);
    sum.text(JSON.stringify(input));
  }
}

/** Usage so far, for a request that was stopped. */
export function countSpoken(texts: readonly string[], counting: CountingOptions): TokenCount {
  const sum = new Sum(counting);
  for (const text of texts) sum.text(text);
  return sum.total();
}

class Sum {
  readonly #counting: CountingOptions;
  #estimate = 0;
  #bound = 0;

  constructor(counting: CountingOptions) {
    this.#counting = counting;
  }

  fixed(tokens: number): void {
    this.#estimate += tokens;
    this.#bound += tokens;
  }

  add(part: Sum): void {
    this.#estimate += part.#estimate;
    this.#bound += part.#bound;
  }

  text(text: string): void {
    const { usual, most, foreign } = this.#counting;
    const { tokens, bytes, digits, foreignBytes } = sizeOf(text);
    this.#estimate += Math.min(bytes, Math.ceil(tokens * usual));
    this.#bound += Math.min(bytes, Math.ceil(tokens * most + foreignBytes * foreign) + digits);
  }

  /** What is sealed in base64 has at most three bytes for four characters, and rarely a token a byte. */
  sealed(meta: Json): void {
    const { length } = JSON.stringify(meta);
    this.#estimate += Math.ceil(length / 6);
    this.#bound += Math.ceil(length / 2);
  }

  attachment(attachment: Attachment): void {
    const { mediaType, data } = attachment;
    if (isTextLike(mediaType)) return this.text(attachmentText(attachment));
    if (mediaType.startsWith("image/")) return this.fixed(this.#counting.image);
    if (mediaType === "application/pdf")
      return this.fixed(pagesOf(attachment) * this.#counting.page);
    // Sound and film: the dearest is 263 tokens a second, the smallest about 10 kB a second.
    this.fixed(Math.ceil(data.length / 25));
  }

  total(): TokenCount {
    return { estimate: this.#estimate, bound: Math.max(this.#bound, this.#estimate) };
  }
}

/** A page that cannot be seen, because its object is compressed, takes a thousand bytes at least. */
function pagesOf(attachment: Attachment): number {
  const known = pages.get(attachment);
  if (known !== undefined) return known;
  const bytes = Buffer.from(attachment.data, "base64");
  const seen = bytes.toString("latin1").match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 0;
  const counted = seen > 0 ? seen : Math.ceil(bytes.length / 1000);
  pages.set(attachment, counted);
  return counted;
}
const pages = new WeakMap<Attachment, number>();
