// Client: one typed method per operation.
//
//   const client = createClient({ fetch, baseUrl: "http://127.0.0.1:4040" })
//   const { pid } = await client.spawn({ agent: "echo", input: "hello" })
//   for await (const record of client.watch({ pid })) …
//
// CLIENT-1  Every failure is a SysError with the code and hint of the kernel.

import type { OnProgress, OperationAnswer, OperationArgs, WorkProgress } from "@aos/protocol";
import { SysError } from "@aos/protocol/failures";
import {
  API_ROOT,
  operationNames,
  routes,
  type OperationName,
  type Route,
} from "@aos/protocol/routes";
import { failureFromResponse } from "./failure-from-response.ts";
import type { FetchLike, ResponseLike } from "./fetch-like.ts";
import { readLines } from "./read-lines.ts";

type Given<Name extends OperationName> =
  object extends OperationArgs<Name>
    ? [args?: OperationArgs<Name>, options?: CallOptions]
    : [args: OperationArgs<Name>, options?: CallOptions];

interface CallOptions {
  readonly signal?: AbortSignal;
  /** Told how far long work is, where the operation says so. */
  readonly onProgress?: OnProgress;
}

export type Client = {
  readonly [Name in OperationName]: (
    ...given: Given<Name>
  ) => (typeof routes)[Name]["streams"] extends true
    ? AsyncIterable<OperationAnswer<Name>>
    : Promise<OperationAnswer<Name>>;
};

export function createClient(options: { fetch: FetchLike; baseUrl: string }): Client {
  const root = options.baseUrl.replace(/\/$/, "") + API_ROOT;

  const ask = (
    route: Route,
    args: Record<string, unknown>,
    { signal, onProgress }: CallOptions,
  ) => {
    const { url, body } = address(route, args);
    return options.fetch(root + url, {
      method: route.method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(onProgress === undefined ? {} : { accept: "application/x-ndjson" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  };

  const methods = operationNames.map((name) => {
    const route: Route = routes[name];
    const method = (args: Record<string, unknown> = {}, more: CallOptions = {}) => {
      const asked = ask(route, args, more);
      if (route.streams) return stream(asked);
      return more.onProgress === undefined ? whole(asked) : reported(asked, more.onProgress);
    };
    return [name, method];
  });
  return Object.fromEntries(methods) as Client;
}

/** Puts each argument where it travels: path, query or body. */
function address(route: Route, args: Record<string, unknown>) {
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  let path = route.path;
  for (const [key, value] of Object.entries(args)) {
    if (value === undefined) continue;
    if (path.includes(`/:${key}`)) path = path.replace(`:${key}`, encodeURIComponent(text(value)));
    else if (route.method === "GET") query.set(key, text(value));
    else body[key] = value;
  }
  return {
    url: query.size === 0 ? path : `${path}?${query.toString()}`,
    body: route.method === "GET" ? undefined : body,
  };
}

const text = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

async function whole(asked: Promise<ResponseLike>): Promise<unknown> {
  const response = await asked;
  const said = await response.text();
  if (response.status >= 400) throw failureFromResponse(response.status, said);
  try {
    return JSON.parse(said);
  } catch {
    throw new SysError("EINTERNAL", `the daemon answered with something that is not JSON: ${said}`);
  }
}

/** The result, which comes after lines of progress. */
async function reported(asked: Promise<ResponseLike>, onProgress: OnProgress): Promise<unknown> {
  for await (const line of stream(asked)) {
    const { progress, result } = line as { progress?: WorkProgress; result?: unknown };
    if (result !== undefined) return result;
    if (progress !== undefined) onProgress(progress);
  }
  throw new SysError("EINTR", "the daemon stopped before the work was done");
}

async function* stream(asked: Promise<ResponseLike>): AsyncGenerator {
  const response = await asked;
  if (response.status >= 400) throw failureFromResponse(response.status, await response.text());
  if (response.body === null) return;
  for await (const line of readLines(response.body)) {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null && "error" in value && !("kind" in value)) {
      throw failureFromResponse(500, JSON.stringify(value.error));
    }
    yield value;
  }
}
