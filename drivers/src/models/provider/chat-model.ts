// Chat model: calls a chat completions server without a vendor's package.
//
// CHAT-MODEL-1  Only the fetch of the request is used (recorded-fetch.ts), once: it has the key and the abort signal,
//     and checks the address.
// CHAT-MODEL-2  A refusal of the server keeps its status and body for failure.ts. The read part of the body is
//     limited.
// CHAT-MODEL-3  An answer whose connection breaks is reported as cut.

import type { StreamingToolCallTracker } from "@ai-sdk/provider-utils";
import { ChatAnswer } from "./chat-answer.ts";
import { ChatRequests } from "./chat-request.ts";
import { BrokenStream, readEvents } from "./event-stream.ts";
import { cutShort } from "./failure.ts";
import type { VendorCall, VendorConfig, OpenModel, Vendor } from "./vendors.ts";

const LONGEST_REFUSAL_BYTES = 1_000_000;

export class ChatModel implements OpenModel {
  readonly #means: VendorConfig;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #requests: ChatRequests;
  /** VENDORS-1 of vendors.ts. */
  #Tracker: typeof StreamingToolCallTracker | undefined;

  constructor(means: VendorConfig, { takes }: Pick<Vendor, "takes">) {
    const { name, baseURL, headers } = means;
    this.#means = means;
    this.#url = `${baseURL}/chat/completions`;
    this.#headers = { "content-type": "application/json", "user-agent": "aos", ...headers };
    this.#requests = new ChatRequests({ provider: name, takes });
  }

  async ask({ fitting, names, fetch, take }: VendorCall): Promise<void> {
    // Before anything is sent: data that arrives without a reader is lost when the connection breaks.
    const Tracker = (this.#Tracker ??= await loadTracker());
    const body = this.#requests.bodyOf(fitting, names, this.#means);
    const headers = this.#headers;
    const response = await fetch(this.#url, { method: "POST", headers, body }); // CHAT-MODEL-1
    if (!response.ok) throw await refusalOf(response); // CHAT-MODEL-2
    const answer = new ChatAnswer({ provider: this.#means.name, take, Tracker });
    try {
      if (response.body !== null) await readEvents(response.body, (data) => answer.piece(data));
    } catch (error) {
      if (!(error instanceof BrokenStream)) throw error;
      throw cutShort(fitting.request.model, error.message); // CHAT-MODEL-3
    }
    answer.end();
  }
}

const loadTracker = async (): Promise<typeof StreamingToolCallTracker> =>
  (await import("@ai-sdk/provider-utils")).StreamingToolCallTracker;

/** What a server says that does not answer. */
class Refusal extends Error {
  readonly statusCode: number;
  readonly responseBody: string;

  constructor({ status, statusText }: Response, body: string) {
    super(messageIn(body) ?? (statusText === "" ? `status ${status}` : statusText));
    this.statusCode = status;
    this.responseBody = body;
  }
}

async function refusalOf(response: Response): Promise<Refusal> {
  if (response.body === null) return new Refusal(response, "");
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  try {
    while (bytes < LONGEST_REFUSAL_BYTES) {
      const { done, value } = await reader.read();
      if (done) return new Refusal(response, text);
      bytes += value.length;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The status is known, and what has come of the body.
  }
  reader.cancel().catch(() => {});
  return new Refusal(response, text);
}

function messageIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : undefined;
  } catch {
    return undefined;
  }
}
