// Routes that people outside reach by what they sign, loaded with the first request for one.

import { Hono } from "hono";
import type { GatewayEnv } from "../gateway/caller.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";

export function addRoutesOnDemand(app: Hono<GatewayEnv>, gateway: GatewayContext): void {
  let routes: Promise<Hono<GatewayEnv>> | undefined;
  app.all("/answer/*", async ({ req, env }) => {
    routes ??= load(gateway);
    return (await routes).fetch(req.raw, env);
  });
}

async function load(gateway: GatewayContext): Promise<Hono<GatewayEnv>> {
  const { addAnswerRoutes } = await import("./answer-routes.ts");
  const routes = new Hono<GatewayEnv>();
  addAnswerRoutes(routes, gateway);
  routes.onError((error) => {
    throw error; // for who loaded them
  });
  return routes;
}
