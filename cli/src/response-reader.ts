// ResponseReader: an HTTP/1.1 response from the bytes of a connection that carries nothing else.
//
//   const reader = new ResponseReader(socket);
//   const { status } = await reader.head();
//   for await (const piece of reader.body()) …
//
// RESPONSE-READER-1  A body ends where its head says: after its length, after its last chunk, or with the connection
//     if the head names neither. A connection that ends before that is an error, never a shorter answer.
// RESPONSE-READER-2  A head, or a line between two chunks, has a limit.

const LONGEST_LINES_BYTES = 64 * 1024;
const CRLF = "\r\n";

export interface ResponseHead {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

export class ResponseReader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #head: ResponseHead | undefined;

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The head of the answer; those that only announce it (1xx) are skipped. */
  async head(): Promise<ResponseHead> {
    while (this.#head === undefined || this.#head.status < 200)
      this.#head = headOf(await this.#until(CRLF + CRLF));
    return this.#head;
  }

  /** RESPONSE-READER-1. */
  async *body(): AsyncGenerator<Buffer> {
    const { status, headers } = await this.head();
    if (status === 204 || status === 304) return;
    const length = headers.get("content-length");
    if (headers.get("transfer-encoding")?.toLowerCase() === "chunked") yield* this.#chunks();
    else if (length !== undefined) yield* this.#bytes(countOf(length, 10));
    else {
      if (this.#rest.length > 0) yield this.#rest;
      for (let piece = await this.#pieces.next(); piece.done !== true;) {
        yield piece.value;
        piece = await this.#pieces.next();
      }
    }
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const line = await this.#until(CRLF);
      const size = countOf(line.split(";", 1)[0]!.trim(), 16);
      if (size === 0) break;
      yield* this.#bytes(size);
      if ((await this.#until(CRLF)) !== "") throw malformed("a chunk is longer than it says");
    }
    while ((await this.#until(CRLF)) !== ""); // trailers say nothing that is used
  }

  async *#bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0) this.#rest = await this.#next();
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** The text before the mark, which is taken too. */
  async #until(mark: string): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(mark);
      if (end >= 0) {
        const text = this.#rest.toString("latin1", 0, end);
        this.#rest = this.#rest.subarray(end + mark.length);
        return text;
      }
      if (this.#rest.length > LONGEST_LINES_BYTES) throw malformed("its head is too long"); // RESPONSE-READER-2
      this.#rest = Buffer.concat([this.#rest, await this.#next()]);
    }
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#pieces.next();
    if (done !== true) return value;
    throw Object.assign(new Error("the connection ended before the answer did"), {
      code: "ECONNRESET",
    });
  }
}

function headOf(text: string): ResponseHead {
  const [first = "", ...lines] = text.split(CRLF);
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw malformed("it is not HTTP");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) throw malformed("a line of its head has no name");
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { status: Number(status), headers };
}

function countOf(text: string, base: 10 | 16): number {
  const isCount = base === 16 ? /^[\da-f]{1,12}$/i.test(text) : /^\d{1,15}$/.test(text);
  if (!isCount) throw malformed("the length of its body is no number");
  return Number.parseInt(text, base);
}

const malformed = (why: string): Error => new Error(`the answer cannot be read: ${why}`);
