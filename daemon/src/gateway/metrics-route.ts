// GET /metrics: for Prometheus. A viewer of all tenants may read them; they name no process.

import { SysError } from "@aos/protocol";
import type { Hono } from "hono";
import { Deeds } from "../metrics/deeds.ts";
import { renderMetrics } from "../metrics/render.ts";
import type { Desk } from "./answers.ts";
import { requireRole, type GatewayEnv } from "./caller.ts";

export function addMetricsRoute(app: Hono<GatewayEnv>, desk: Desk): void {
  let deeds: Deeds | undefined;
  app.get("/metrics", async (context) => {
    const { tenant } = requireRole(context, "viewer");
    if (tenant !== null)
      throw new SysError("EACCES", "metrics are of all tenants, and this token is for one");
    if (deeds === undefined) {
      deeds = new Deeds();
      deeds.follow(desk.kernel, desk.closing).catch(desk.onMistake);
    }
    const { type, text } = await renderMetrics(desk.kernel, deeds, desk.daemon.version);
    return new Response(text, { headers: { "content-type": type, "cache-control": "no-store" } });
  });
}
