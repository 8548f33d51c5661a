// Hook routes: webhooks that start runs of schedules.
//
//   POST /hooks/NAME           of the default tenant
//   POST /hooks/TENANT/NAME
//
// HOOK-ROUTES-1  Nothing but the signature lets a caller in, and it is checked with the secret of that very schedule,
//     in the vault of its tenant. A schedule that is not there is refused in the same words.
// HOOK-ROUTES-2  202 is said once the tick is durable. The same delivery gets the same answer and starts nothing.
// HOOK-ROUTES-3  A page in a browser cannot sign; it is refused before that (guard.ts).

import { DEFAULT_TENANT, SysError, type Json } from "@aos/protocol";
import type { Context, Hono } from "hono";
import { requestBindings, type GatewayEnv } from "../gateway/caller.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import { RateLimit } from "../gateway/limits.ts";
import { problemResponse } from "../gateway/problem.ts";
import { bodyValue, requestBytes, tooLarge } from "./request-bytes.ts";
import { RefusalEntries } from "./refusal-entries.ts";
import { checkSignature } from "./signature.ts";

type Gateway = Pick<GatewayContext, "kernel" | "config" | "onAct">;

export function addHookRoutes(app: Hono<GatewayEnv>, gateway: Gateway): void {
  const limit = new RateLimit(gateway.config.http.rate);
  const refusals = new RefusalEntries(gateway.kernel);
  const answer = (context: Context<GatewayEnv>, tenant: string, name: string) => {
    limit.take(addressOf(context));
    return answerHook({ gateway, refusals, context, tenant, name });
  };
  app.post("/hooks/:name", (context) => answer(context, DEFAULT_TENANT, context.req.param("name")));
  app.post("/hooks/:tenant/:name", (context) => {
    const { tenant, name } = context.req.param();
    return answer(context, tenant, name);
  });
}

export const addressOf = ({ env }: Context<GatewayEnv>): string =>
  requestBindings(env).incoming?.socket.remoteAddress ?? "";

interface HookCall {
  readonly gateway: Gateway;
  readonly refusals: RefusalEntries;
  readonly context: Context<GatewayEnv>;
  readonly tenant: string;
  readonly name: string;
}

async function answerHook(call: HookCall): Promise<Response> {
  const { gateway, refusals, context, tenant, name } = call;
  const hook = await openHook(call);
  if (hook === undefined) return unknown(); // HOOK-ROUTES-1
  const { headers } = context.req.raw;
  const body = await requestBytes(context.req.raw, hook.maxBytes);
  if (body === undefined) return problemResponse(tooLarge(hook.maxBytes).toText(), 413);
  const checked = checkSignature({ headers, body }, hook, Date.now());
  if ("refused" in checked) {
    const detail = { schedule: name, tenant, from: addressOf(context), why: checked.refused };
    await refusals.add("hook.refuse", `hook:${name}`, detail);
    return unknown();
  }
  const { id } = checked;
  const type = headers.get("x-github-event");
  const event = {
    id,
    at: new Date().toISOString(),
    ...(type === null ? {} : { type }),
    body: bodyValue(body) as Json,
  };
  const fired = await gateway.kernel.fireSchedule(name, { id, event, tenant });
  const { pid, outcome, reason } = fired;
  return Response.json({ schedule: name, id, outcome, pid, reason }, { status: 202 });
}

/** A secret that is missing, or not bound to the hook, is for the operator to know. */
async function openHook({ gateway, tenant, name }: HookCall) {
  try {
    return await gateway.kernel.webhook(name, { tenant });
  } catch (error) {
    if (!(error instanceof SysError) || !["ENOENT", "EACCES", "ECORRUPT"].includes(error.code))
      throw error;
    gateway.onAct("a webhook was refused: its secret cannot be used", {
      schedule: name,
      tenant,
      why: error.message,
      fix: `aos secret set NAME --for hook:${name}`,
    });
    return undefined;
  }
}

const unknown = (): Response =>
  problemResponse(
    { code: "EACCES", message: "the signature is not one of a schedule of this name" },
    401,
  );
