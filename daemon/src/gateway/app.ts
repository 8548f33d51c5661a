// App: the HTTP API, one route for each operation.
//
//   guard (guard.ts) → what signatures let in (hook-routes.ts) → who calls (identify.ts) → size → the route → the operation (respond.ts)
//
// Routes of other kinds are added here, below `identify`, and call `requireRole`.

import { API_ROOT, MAX_BODY_BYTES, operationNames, routes } from "@aos/protocol";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { addMcpRoutes } from "../mcp-server/index.ts";
import { openAiErrors } from "../openai/error-shape.ts";
import { addOpenAiRoutes } from "../openai/routes.ts";
import { addRoutesOnDemand } from "../notify/routes-on-demand.ts";
import { addHookRoutes } from "../starts/hook-routes.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { addAttachRoute } from "./attach-socket.ts";
import type { GatewayEnv } from "./caller.ts";
import { addEventRoutes } from "./events.ts";
import { guard } from "./guard.ts";
import { addHealthRoutes } from "./health.ts";
import { identifyCaller, SESSION_PATH } from "./identify.ts";
import { RateLimit } from "./limits.ts";
import { addMetricsRoute } from "./metrics-route.ts";
import { addDocsSite } from "./docs-site.ts";
import { addOpenapiRoutes } from "./openapi.ts";
import { addPage } from "./page.ts";
import { toFailureText, problemResponse } from "./problem.ts";
import { respond } from "./respond.ts";
import { addSessionRoutes } from "./session-routes.ts";
import { StreamLimit } from "./stream-limit.ts";

export type App = Hono<GatewayEnv>;

export function createApp(gateway: GatewayContext): App {
  const app = new Hono<GatewayEnv>();
  const { hosts, rate, streams, tls } = gateway.config.http;
  const isTls = tls !== undefined;
  app.use("/v1/*", openAiErrors);
  const { publicUrl } = gateway.config;
  const named = publicUrl === undefined ? hosts : [...hosts, new URL(publicUrl).hostname];
  app.use(guard({ hosts: named, isTls }));
  addHookRoutes(app, gateway);
  addRoutesOnDemand(app, gateway);
  app.use(identifyCaller({ tokens: gateway.tokens, limit: new RateLimit(rate), isTls }));
  app.use(SESSION_PATH, atMost(MAX_LOGIN_BYTES));
  app.use(atMost(MAX_BODY_BYTES));
  const open = new StreamLimit(streams);
  app.use((context, next) => {
    context.set("streams", open);
    return next();
  });
  addSessionRoutes(app, { kernel: gateway.kernel, tokens: gateway.tokens, isTls });
  addEventRoutes(app, gateway);
  addAttachRoute(app, gateway);
  addHealthRoutes(app, gateway);
  addMetricsRoute(app, gateway);
  addMcpRoutes(app, gateway);
  addOpenAiRoutes(app, gateway);
  for (const name of operationNames) {
    const { method, path } = routes[name];
    app.on(method, API_ROOT + path, (context) => respond(gateway, name, context));
  }
  addOpenapiRoutes(app, gateway);
  addDocsSite(app);
  addPage(app);
  app.notFound(({ req }) =>
    problemResponse({
      code: "ENOENT",
      message: `unknown route ${req.method} ${req.path}`,
      hint: `the routes are below ${API_ROOT}, e.g. GET ${API_ROOT}/status`,
    }),
  );
  app.onError((error, { req }) => {
    if (req.raw.signal.aborted && HUNG_UP.has((error as NodeJS.ErrnoException).code ?? ""))
      return problemResponse({ code: "EINTR", message: "the client disconnected" });
    return problemResponse(toFailureText(error, gateway.onMistake));
  });
  return app;
}

/** While its body was read: nobody's mistake, and nobody is told. */
const HUNG_UP = new Set(["ECONNRESET", "ABORT_ERR"]);

/** Read from whoever says nothing of who they are: a token or a key, and no more. */
const MAX_LOGIN_BYTES = 16 * 1024;

/** By what is announced, and by what comes. */
const atMost = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () =>
      problemResponse({ code: "EINVAL", message: `the body is larger than ${maxSize} bytes` }, 413),
  });
