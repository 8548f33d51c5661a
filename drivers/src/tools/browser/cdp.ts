// CDP: the Chrome DevTools Protocol over the two pipes of a browser. Each message is JSON and ends with a zero byte.
//
//   const { targetId } = await cdp.send("Target.createTarget", { url: "about:blank" }, reply);
//
// CDP-1  The browser runs untrusted pages and may be compromised: its messages are validated, and an unreadable one
//     ends it.
// CDP-2  When the browser ends, all pending requests fail with the reason; when a window closes, those of the window.

import { Buffer } from "node:buffer";
import { SysError } from "@aos/protocol";
import { z } from "zod";

export interface CdpEvent {
  readonly method: string;
  readonly params: unknown;
  /** Of the page that it is about; absent when it is about the browser. */
  readonly sessionId?: string | undefined;
}

export interface CdpOptions {
  readonly input: NodeJS.WritableStream;
  readonly output: NodeJS.ReadableStream;
  onEvent(event: CdpEvent): void;
  /** CDP-1. */
  onBroken(error: SysError): void;
}

interface Waiting {
  readonly method: string;
  readonly sessionId: string | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: SysError) => void;
}

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

const message = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
  sessionId: z.string().optional(),
});

/** CDP-1. */
export function checkReply<Said>(shape: z.ZodType<Said>, said: unknown, what: string): Said {
  const read = shape.safeParse(said);
  if (read.success) return read.data;
  throw new SysError("EUPSTREAM", `the browser gave an unexpected answer to ${what}`);
}

export class Cdp {
  readonly #options: CdpOptions;
  readonly #waiting = new Map<number, Waiting>();
  #parts: Buffer[] = [];
  #size = 0;
  #sent = 0;
  #gone: SysError | undefined;

  constructor(options: CdpOptions) {
    this.#options = options;
    options.output.on("data", (chunk: Buffer) => this.#take(chunk));
  }

  async send<Result = unknown>(
    method: string,
    params: object = {},
    { sessionId, reply }: { sessionId?: string; reply?: z.ZodType<Result> } = {},
  ): Promise<Result> {
    if (this.#gone !== undefined) throw this.#gone;
    const id = ++this.#sent;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { method, sessionId, resolve, reject });
    this.#options.input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const result = await promise;
    return reply === undefined ? (result as Result) : checkReply(reply, result, method);
  }

  /** For commands that are not awaited: the next awaited one fails with the same error. */
  tell(method: string, params: object = {}, sessionId?: string): void {
    this.send(method, params, sessionId === undefined ? {} : { sessionId }).catch(() => {});
  }

  /** CDP-2. */
  end(error: SysError): void {
    this.#gone ??= error;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(this.#gone);
  }

  /** CDP-2. */
  endSession(session: string): void {
    for (const [id, { method, sessionId, reject }] of this.#waiting) {
      if (sessionId !== session) continue;
      this.#waiting.delete(id);
      reject(new SysError("ESTATE", `${method}: the window was closed`));
    }
  }

  #take(chunk: Buffer): void {
    if (this.#gone !== undefined) return;
    let rest = chunk;
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const bytes = Buffer.concat([...this.#parts, rest.subarray(0, end)]);
      this.#parts = [];
      this.#size = 0;
      rest = rest.subarray(end + 1);
      this.#read(bytes.toString("utf8"));
    }
    this.#parts.push(rest);
    this.#size += rest.length;
    if (this.#size > MAX_MESSAGE_BYTES) this.#break("a message is too long");
  }

  #read(text: string): void {
    try {
      const { id, method, params, result, error, sessionId } = message.parse(JSON.parse(text));
      if (method !== undefined) return this.#options.onEvent({ method, params, sessionId });
      const waiting = this.#waiting.get(id ?? 0);
      if (waiting === undefined) return;
      this.#waiting.delete(id ?? 0);
      if (error === undefined) waiting.resolve(result);
      else waiting.reject(new SysError("EUPSTREAM", `${waiting.method}: ${error.message}`));
    } catch (error) {
      this.#break((error as Error).message);
    }
  }

  #break(why: string): void {
    this.#options.onBroken(
      new SysError("EUPSTREAM", `the browser sent an unexpected message: ${why.slice(0, 200)}`),
    );
  }
}
