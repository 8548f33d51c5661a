// GET /metrics: for Prometheus. A viewer of all tenants may read them; they name no process.

import { SysError } from "@aos/protocol";
import type { Hono } from "hono";
import type { GatewayContext } from "./gateway-context.ts";
import { requireRole, type GatewayEnv } from "./caller.ts";

export function addMetricsRoute(app: Hono<GatewayEnv>, { metrics }: GatewayContext): void {
  app.get("/metrics", async (context) => {
    const { tenant } = requireRole(context, "viewer");
    if (tenant !== null)
      throw new SysError("EACCES", "metrics cover all tenants, and this token is for one tenant");
    const registry = await metrics.registry();
    return new Response(await registry.metrics(), {
      headers: { "content-type": registry.contentType, "cache-control": "no-store" },
    });
  });
}
