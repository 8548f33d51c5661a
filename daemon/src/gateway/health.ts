// Health: whether the daemon is alive and accepts work. Both reveal nothing about users and need no token.
//
//   GET /healthz   200 while it answers
//   GET /readyz    200 while it accepts work; 503 while it stops, or when its store cannot be used

import { SysError } from "@aos/protocol";
import type { Hono } from "hono";
import type { GatewayContext } from "./gateway-context.ts";
import type { GatewayEnv } from "./caller.ts";

const UNCACHED = { "cache-control": "no-store" };

export function addHealthRoutes(
  app: Hono<GatewayEnv>,
  gateway: Pick<GatewayContext, "kernel" | "stopping">,
): void {
  app.get("/healthz", () => Response.json({ status: "ok" }, { headers: UNCACHED }));
  app.get("/readyz", async () => {
    const why = await unreadiness(gateway);
    return why === undefined
      ? Response.json({ status: "ready" }, { headers: UNCACHED })
      : Response.json({ status: "not ready", why }, { status: 503, headers: UNCACHED });
  });
}

async function unreadiness({
  kernel,
  stopping,
}: Pick<GatewayContext, "kernel" | "stopping">): Promise<string | undefined> {
  if (stopping.aborted) return "the daemon is stopping";
  try {
    return (await kernel.status()).trouble; // what is held does not run: never ready in silence
  } catch (error) {
    return error instanceof SysError ? error.message : "the store cannot be used";
  }
}
