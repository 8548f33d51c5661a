// FetchLike: the part of `fetch` that the client needs, so that it runs in a browser, a server, or over a Unix
// socket.

export interface ResponseLike {
  readonly status: number;
  text(): Promise<string>;
  readonly body: AsyncIterable<Uint8Array> | null;
}

export type FetchLike = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal?: AbortSignal;
  },
) => Promise<ResponseLike>;
