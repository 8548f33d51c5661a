// GET /metrics: for Prometheus. A viewer of all tenants may read them; they name no process.

import { SysError } from "@aos/protocol";
import type { Hono } from "hono";
import { ActivityMetrics } from "../metrics/activity-metrics.ts";
import { renderMetrics } from "../metrics/render.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { requireRole, type GatewayEnv } from "./caller.ts";

export function addMetricsRoute(app: Hono<GatewayEnv>, gateway: GatewayContext): void {
  let activity: ActivityMetrics | undefined;
  app.get("/metrics", async (context) => {
    const { tenant } = requireRole(context, "viewer");
    if (tenant !== null)
      throw new SysError("EACCES", "metrics cover all tenants, and this token is for one tenant");
    if (activity === undefined) {
      activity = new ActivityMetrics();
      activity.follow(gateway.kernel, gateway.closing).catch(gateway.onMistake);
    }
    const { type, text } = await renderMetrics(gateway.kernel, activity, gateway.daemon.version);
    return new Response(text, { headers: { "content-type": type, "cache-control": "no-store" } });
  });
}
