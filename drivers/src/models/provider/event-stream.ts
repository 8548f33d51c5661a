// Event stream: reads a body of server-sent events as it arrives.
//
//   await readEvents(body, (data) => …)    called with the data of each event, in their order
//
// PROVIDER-EVENT-STREAM-1  A line ends with LF, CRLF or CR, however the bytes are cut. Several `data`
//     lines of one event are one text with LF between them. Comments, other fields and events without
//     data are skipped.
// PROVIDER-EVENT-STREAM-2  An event counts once its blank line has arrived; an incomplete event at the end of a cut
//     stream is dropped.
// PROVIDER-EVENT-STREAM-3  An exception of the listener, or an aborted request, ends the reading and cancels the
//     body, so that the server can stop. A body that fails by itself is a BrokenStream.
// PROVIDER-EVENT-STREAM-4  The length of a line is limited, so that an endless line cannot exhaust memory.

import { SysError } from "@aos/protocol";

const LONGEST_LINE_CHARS = 64_000_000;

/** The connection broke, or was closed, before the end of the body. */
export class BrokenStream extends Error {}

export async function readEvents(
  body: ReadableStream<Uint8Array>,
  listen: (data: string) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events = new EventLines(listen);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(broken);
      if (done) return;
      events.push(decoder.decode(value, STREAM));
    }
  } catch (error) {
    // PROVIDER-EVENT-STREAM-3. Not waited for: a body that has failed has nothing left to cancel.
    reader.cancel(error).catch(() => {});
    throw error;
  }
}

const STREAM = { stream: true } as const;

function broken(error: unknown): never {
  const { message, cause } = error as Error & { cause?: { message?: string } };
  throw new BrokenStream(cause?.message ?? message, { cause: error });
}

export class EventLines {
  readonly #listen: (data: string) => void;
  /** The beginning of a line whose end has not come. */
  #rest = "";
  /** Whether the text before ended with CR: a LF that follows belongs to it. */
  #wasCr = false;
  /** Of the event that has begun. */
  #data: string | undefined;

  constructor(listen: (data: string) => void) {
    this.#listen = listen;
  }

  push(text: string): void {
    if (text === "") return;
    let from = this.#wasCr && text.startsWith("\n") ? 1 : 0;
    this.#wasCr = text.endsWith("\r");
    const hasCr = text.includes("\r");
    for (;;) {
      const end = hasCr ? endOfLine(text, from) : text.indexOf("\n", from);
      if (end === -1) break;
      const line = text.slice(from, end);
      from = text.startsWith("\r\n", end) ? end + 2 : end + 1;
      this.#take(this.#rest === "" ? line : this.#rest + line);
      this.#rest = "";
    }
    if (from < text.length) this.#rest += text.slice(from);
    if (this.#rest.length > LONGEST_LINE_CHARS)
      throw new SysError("EUPSTREAM", "a line of the answer is too long"); // PROVIDER-EVENT-STREAM-4
  }

  #take(line: string): void {
    if (line === "") {
      const data = this.#data;
      this.#data = undefined;
      if (data !== undefined && data !== "") this.#listen(data);
    } else if (line.startsWith("data:")) {
      const text = line.slice(line.startsWith(" ", 5) ? 6 : 5);
      this.#data = this.#data === undefined ? text : `${this.#data}\n${text}`;
    }
  }
}

/** PROVIDER-EVENT-STREAM-1. Where the first line from here on ends; -1 if it does not. */
function endOfLine(text: string, from: number): number {
  const lf = text.indexOf("\n", from);
  const cr = text.indexOf("\r", from);
  return lf === -1 || cr === -1 ? Math.max(lf, cr) : Math.min(lf, cr);
}
