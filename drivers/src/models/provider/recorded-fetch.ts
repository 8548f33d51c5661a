// RecordedFetch: the fetch for one request, given to a vendor's package.
//
// PROVIDER-WIRE-1  It sends one request to the configured origin. Another address, a second request and a redirect
//     are refused: some packages retry by themselves, which is the kernel's decision.
// PROVIDER-WIRE-2  The key is requested when the request is sent, for that origin and header, and is nowhere else. A
//     key header of the package is removed.
// PROVIDER-WIRE-3  The answer is limited to the reserved length: a limit that the package raised is restored.

import { type ModelContext, SysError } from "@aos/protocol";
import { failedToReach } from "./failure.ts";
import { checkedLines } from "./json-lines.ts";

export interface RecordedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** What came of it so far. */
  readonly seen: WireObservation;
}

export interface WireObservation {
  status?: number;
  headers?: Headers;
  /** Kept here: the packages wrap what is thrown at them. */
  failure?: SysError;
  /** Never shown; to be taken out of what is. */
  key?: string;
}

interface WireSpec {
  readonly origin: string;
  readonly header: string;
  readonly prefix: string;
  readonly keySecret: string | undefined;
  readonly maxTokens: number;
  /** Whether answers are lines of JSON. */
  readonly isLines: boolean;
  readonly signal: AbortSignal;
  readonly fetch: typeof globalThis.fetch;
}

const KEY_HEADERS = new Set(["authorization", "x-api-key", "x-goog-api-key", "api-key"]);

export const isKeyHeader = (name: string): boolean => KEY_HEADERS.has(name.toLowerCase());

export function wireFor(spec: WireSpec, context: Pick<ModelContext, "providerKey">): RecordedFetch {
  const seen: WireObservation = {};
  let isUsed = false;
  const refuse = (failure: SysError): never => {
    seen.failure ??= failure;
    throw failure;
  };
  const send: typeof globalThis.fetch = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== spec.origin)
      refuse(
        new SysError("EUPSTREAM", `a request for ${spec.origin} was about to go to ${url.origin}`),
      );
    if (isUsed)
      refuse(new SysError("EUPSTREAM", "a second request was about to be sent for one call"));
    isUsed = true;

    const headers = withoutKeys(init.headers);
    if (spec.keySecret !== undefined) {
      const { origin, header, prefix } = spec;
      seen.key = context.providerKey(spec.keySecret, { kind: "header", origin, header });
      headers[header] = `${prefix}${seen.key}`;
    }
    const body = held(init.body, spec.maxTokens);
    const answer = await spec
      .fetch(url, { ...init, headers, redirect: "manual", signal: spec.signal, ...body })
      .catch((error: unknown) => {
        if (spec.signal.aborted) throw spec.signal.reason;
        return refuse(failedToReach(spec.origin, error));
      });
    seen.status = answer.status;
    seen.headers = answer.headers;
    if (answer.type === "opaqueredirect" || (answer.status >= 300 && answer.status < 400)) {
      await answer.body?.cancel();
      refuse(new SysError("EUPSTREAM", `${spec.origin} redirects, and redirects are not followed`));
    }
    return spec.isLines && answer.ok && answer.body !== null
      ? new Response(answer.body.pipeThrough(checkedLines()), answer)
      : answer;
  };
  return { fetch: send, seen };
}

/** PROVIDER-WIRE-2. By their names in lower case: a header of the package that has the key's name is one of them. */
function withoutKeys(given: RequestInit["headers"]): Record<string, string> {
  const pairs =
    given === undefined || given instanceof Headers || Array.isArray(given)
      ? [...new Headers(given)]
      : Object.entries(given);
  const left: Record<string, string> = {};
  for (const [name, value] of pairs)
    if (value !== undefined && !isKeyHeader(name)) left[name.toLowerCase()] = value;
  return left;
}

/** PROVIDER-WIRE-3. Anthropic's package adds what may be thought to what may be said. */
function held(body: unknown, maxTokens: number): { body?: string } {
  if (typeof body !== "string" || !body.includes('"budget_tokens"')) return {};
  const sent = JSON.parse(body) as {
    max_tokens?: number;
    thinking?: { type?: string; budget_tokens?: number };
  };
  const { thinking } = sent;
  if (sent.max_tokens === undefined || thinking?.budget_tokens === undefined) return {};
  sent.max_tokens = Math.min(sent.max_tokens, maxTokens);
  thinking.budget_tokens = Math.min(thinking.budget_tokens, Math.floor(maxTokens / 2));
  // The vendor's own least.
  if (thinking.budget_tokens < 1024) delete sent.thinking;
  return { body: JSON.stringify(sent) };
}
