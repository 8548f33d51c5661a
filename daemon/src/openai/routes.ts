// Routes below /v1: every agent as a model of OpenAI's API.
//
//   GET  /v1/models, /v1/models/:model
//   POST /v1/chat/completions
//   POST /v1/responses, GET /v1/responses/:id, POST /v1/responses/:id/cancel
//
// ROUTES-1  To look takes the role of a viewer; what starts or ends a run takes what `spawn` and `signal`
//     take.
// ROUTES-2  Everything is of the caller's tenant, by the same kernel that the rest of the gateway has.

import { failures, isEnded, type ProcessId } from "@aos/protocol";
import type { Hono } from "hono";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import { callerOf, requireRole, type GatewayEnv } from "../gateway/caller.ts";
import { requireOperation } from "../gateway/call-operation.ts";
import { tenantContext } from "../gateway/tenant-context.ts";
import { CompletionRequest } from "./completion-request.ts";
import { chatCompletion, chatFrames } from "./chat-answer.ts";
import { readChat } from "./chat-request.ts";
import { openAiError } from "./error-shape.ts";
import { findStoredResponse, storedResponse, threadOf } from "./kept-response.ts";
import { listModels, modelOf } from "./models.ts";
import { responseFrames } from "./response-frames.ts";
import { outputOf, responseObject, responseStatus } from "./response-object.ts";
import { readResponse } from "./responses-request.ts";
import { awaitReply } from "./client-run.ts";
import type { Thread } from "./thread.ts";
import { usageOf } from "./usage.ts";

const NOTHING: Thread = { messages: [], label: undefined };
/** How long a run that is cancelled has to end before its state is told. */
const CANCEL_MS = 5000;

export function addOpenAiRoutes(app: Hono<GatewayEnv>, gateway: GatewayContext): void {
  app.get("/v1/models", (context) => {
    requireRole(context, "viewer"); // ROUTES-1
    return context.json({ object: "list", data: listModels(gateway.home) });
  });
  app.get("/v1/models/:model", (context) => {
    requireRole(context, "viewer");
    return context.json(modelOf(context.req.param("model"), gateway.home));
  });

  app.post("/v1/chat/completions", async (context) => {
    const asking = new CompletionRequest(context, gateway);
    const ask = readChat(await asking.body());
    const run = await asking.start(ask, NOTHING);
    const shape = { run, model: ask.model, tools: ask.door.tools };
    const usage = (pid: ProcessId) => usageOf(asking.kernel, pid);
    if (!ask.stream)
      return asking.answer(run, async () => {
        const turned = await awaitReply(asking.kernel, run, asking.listener);
        return chatCompletion(shape, turned, await usage(run.pid));
      });
    return asking.stream(run, ({ told, onFailure }) =>
      chatFrames({
        ...shape,
        told,
        usage: ask.includesUsage ? usage : undefined,
        onFailure: (error) => {
          const failure = onFailure(error);
          return openAiError(failure, failures[failure.code].http);
        },
      }),
    );
  });

  app.post("/v1/responses", async (context) => {
    const asking = new CompletionRequest(context, gateway);
    const ask = readResponse(await asking.body());
    const before =
      ask.previous === undefined ? NOTHING : await threadOf(asking.kernel, ask.previous);
    const run = await asking.start(ask, before);
    const shape = { run, model: ask.model, door: ask.door };
    const usage = (pid: ProcessId) => usageOf(asking.kernel, pid);
    if (ask.background) asking.stay();
    if (ask.stream)
      return asking.stream(run, (heard) => responseFrames({ ...shape, usage, ...heard }));
    if (ask.background)
      return asking.answer(run, async () =>
        responseObject(shape, { status: "queued", output: [] }),
      );
    return asking.answer(run, async () => {
      const turned = await awaitReply(asking.kernel, run, asking.listener);
      const state = { status: responseStatus(turned), output: outputOf(shape, turned) };
      return responseObject(shape, { ...state, usage: await usage(run.pid) });
    });
  });

  app.get("/v1/responses/:id", async (context) => {
    const { kernel } = tenantContext(gateway, requireRole(context, "viewer"));
    return context.json(await storedResponse(kernel, context.req.param("id")));
  });
  app.post("/v1/responses/:id/cancel", async (context) => {
    const caller = callerOf(context);
    requireOperation(caller, "signal");
    const { kernel } = tenantContext(gateway, caller);
    const { pid } = await findStoredResponse(kernel, context.req.param("id"));
    if (!isEnded((await kernel.show(pid)).state)) await kernel.signal(pid, "SIGTERM");
    await kernel.wait(pid, { timeoutMs: CANCEL_MS, signal: gateway.closing });
    return context.json(await storedResponse(kernel, context.req.param("id")));
  });
}
