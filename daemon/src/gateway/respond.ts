// Respond: one HTTP request to one operation.
//
//   role and reach (RESPOND-1) → idempotency → arguments → the answer → its ETag
//
// RESPOND-1  An operation runs only for a caller whose role and reach allow it, on what that caller may see.
// RESPOND-3  Long work says how far it is to whoever accepts lines: {"progress": …} now and then, and last
//     {"result": …} or {"error": …}. Everyone else gets the result alone.
// RESPOND-2  A secret answer is never stored: such an operation takes no Idempotency-Key.

import { operationOf, SysError, type OperationName, type ProcessId } from "@aos/protocol";
import type { Context } from "hono";
import type { GatewayContext } from "./gateway-context.ts";
import { callOperation, requireOperation } from "./call-operation.ts";
import { callerOf, takeStream, type Caller, type GatewayEnv } from "./caller.ts";
import { linkToNext, tagged } from "./response-headers.ts";
import {
  RequestInProgress,
  IdempotencyKeyReused,
  type IdempotencyStore,
} from "./idempotency-store.ts";
import { toFailureText, problemResponse } from "./problem.ts";
import { readRequest } from "./read-request.ts";
import { withProgress } from "./with-progress.ts";

const NDJSON = "application/x-ndjson";

/** Whether it takes an Idempotency-Key (RESPOND-2). */
export function isRepeatable(name: OperationName): boolean {
  const { method, streams, isSecret } = operationOf(name);
  return method === "POST" && !streams && !isSecret;
}

export async function respond(
  gateway: GatewayContext,
  name: OperationName,
  context: Context<GatewayEnv>,
): Promise<Response> {
  const route = operationOf(name);
  const caller = callerOf(context);
  requireOperation(caller, name); // RESPOND-1
  const key = route.method === "POST" ? context.req.header("idempotency-key") : undefined;
  if (key !== undefined) return once(gateway, name, context, key);
  if (route.reportsProgress && (context.req.header("accept") ?? "").includes(NDJSON)) {
    const args = await readRequest(route, context.req);
    const { signal } = context.req.raw;
    const told = withProgress((onProgress) =>
      callOperation(gateway, caller, name, args, { signal, onProgress }),
    );
    return lines(told, gateway, takeStream(context), signal); // RESPOND-3
  }
  const { args, answered } = await answer(gateway, name, context, caller);
  if (route.streams)
    return lines(
      answered as AsyncIterable<unknown>,
      gateway,
      takeStream(context),
      context.req.raw.signal,
    );
  const response = Response.json(answered ?? null);
  linkToNext(response, name, context.req.url, args, answered);
  return route.method === "GET" ? tagged(context.req, response) : response;
}

async function answer(
  gateway: GatewayContext,
  name: OperationName,
  context: Context<GatewayEnv>,
  caller: Caller,
  pid?: ProcessId,
) {
  const args = await readRequest(operationOf(name), context.req);
  const call = { signal: context.req.raw.signal, pid };
  return { args, answered: await callOperation(gateway, caller, name, args, call) };
}

async function once(
  gateway: GatewayContext,
  name: OperationName,
  context: Context<GatewayEnv>,
  key: string,
): Promise<Response> {
  const caller = callerOf(context);
  mustBeRepeatable(name, key);
  const registry: IdempotencyStore = gateway.repeats;
  const { pathname, search } = new URL(context.req.url);
  const request = `POST ${pathname}${search}\n${await context.req.text()}`;
  let begun;
  try {
    begun = registry.begin({ caller: caller.id, key, request, isSpawn: name === "spawn" });
  } catch (error) {
    if (error instanceof IdempotencyKeyReused) return problemResponse(error.toText(), 422);
    if (error instanceof RequestInProgress) return problemResponse(error.toText(), 409);
    throw error;
  }
  if (!("entry" in begun)) return again(begun.answer!);
  try {
    const { answered } = await answer(gateway, name, context, caller, begun.pid);
    const response = Response.json(answered ?? null);
    registry.finish(begun, { status: response.status, body: await response.clone().text() });
    return response;
  } catch (error) {
    const failure = toFailureText(error, gateway.onMistake);
    const response = problemResponse(failure);
    const body = await response.clone().text();
    registry.finish(begun, { status: response.status, body, code: failure.code });
    return response;
  }
}

function again({ status, body }: { status: number; body: string | null }): Response {
  if (body === null) {
    throw new SysError("ESTATE", "the request was done; its response was too large to keep", {
      hint: "inspect the result of the request",
    });
  }
  const type = status >= 400 ? "application/problem+json" : "application/json";
  return new Response(body, {
    status,
    headers: { "content-type": type, "idempotency-replayed": "true" },
  });
}

function mustBeRepeatable(name: OperationName, key: string): void {
  if (!/^[\x21-\x7e]{1,200}$/.test(key))
    throw new SysError("EINVAL", "an Idempotency-Key must be 1 to 200 visible ASCII characters");
  if (!isRepeatable(name)) throw new SysError("EINVAL", `${name} does not support Idempotency-Key`);
}

function lines(
  values: AsyncIterable<unknown>,
  gateway: GatewayContext,
  release: () => void,
  gone: AbortSignal,
): Response {
  gone.addEventListener("abort", release, { once: true });
  const encoder = new TextEncoder();
  const encode = (value: unknown) => encoder.encode(`${JSON.stringify(value)}\n`);
  async function* encoded() {
    try {
      for await (const value of values) yield encode(value);
    } catch (error) {
      yield encode({ error: toFailureText(error, gateway.onMistake) });
    } finally {
      release();
    }
  }
  return new Response(ReadableStream.from(encoded()), {
    headers: { "content-type": NDJSON, "cache-control": "no-store" },
  });
}
