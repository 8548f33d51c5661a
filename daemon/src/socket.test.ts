import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { expect, test } from "vitest";
import type { GatewayEnv } from "./gateway/caller.ts";
import { listenOn } from "./socket.ts";

test.each([
  [undefined, 0o600],
  ["owner", 0o600],
  ["group", 0o660],
] as const)("SOCKET-1: access %s gives mode %o, and others have none", async (access, mode) => {
  const folder = mkdtempSync(join(tmpdir(), "aos-socket-"));
  const path = join(folder, "aos.sock");
  const listening = await listenOn(path, new Hono<GatewayEnv>(), access);

  expect(statSync(path).mode & 0o777).toBe(mode);

  await listening.close();
  rmSync(folder, { recursive: true });
});
