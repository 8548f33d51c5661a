import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GatewayEnv } from "./caller.ts";
import { addPage } from "./page.ts";

let above: string;
let app: Hono<GatewayEnv>;

beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), "aos-page-"));
  mkdirSync(join(above, "dist/assets"), { recursive: true });
  writeFileSync(join(above, "secret.js"), "not for you");
  writeFileSync(join(above, "dist/notes.js"), "nor this");
  writeFileSync(join(above, "dist/assets/index-abc.js"), "script");
  writeFileSync(join(above, "dist/assets/list.txt"), "of no kind that a page loads");
  writeFileSync(join(above, "dist/favicon.svg"), "<svg/>");
  app = new Hono<GatewayEnv>();
  addPage(app, join(above, "dist"));
});
afterEach(() => rmSync(above, { recursive: true, force: true }));

const build = () => writeFileSync(join(above, "dist/index.html"), "<p>the page</p>");

const asBrowser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

test.each(["/", "/approvals", "/runs/agt_1", "/runs/agt_1?seq=4", "/no-such-view"])(
  "%s is the page for a browser, and is asked for each time (GATEWAY-PAGE-1, GATEWAY-PAGE-4)",
  async (path) => {
    build();

    const response = await app.request(path, asBrowser);

    expect(response.status).toBe(200);
    expect(await response.text()).toBe("<p>the page</p>");
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  },
);

test("what has its digest in its name is kept for good (GATEWAY-PAGE-1)", async () => {
  const response = await app.request("/assets/index-abc.js");

  expect(await response.text()).toBe("script");
  expect(response.headers.get("cache-control")).toBe("max-age=31536000, immutable");
  expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
});

test.each([
  "/assets/..%2fnotes.js",
  "/assets/%2e%2e%2f%2e%2e%2fsecret.js",
  "/assets/list.txt",
  "/assets/gone.js",
  "/assets/",
  "/notes.js",
  "/elsewhere",
])("%s is not served (GATEWAY-PAGE-2)", async (path) => {
  build();

  expect((await app.request(path)).status).toBe(404);
});

test.each(["/api/v1/nothing", "/v1/nothing", "/mcp/nothing", "/assets/gone", "/docs/nothing"])(
  "%s is no view, whoever asks (GATEWAY-PAGE-4)",
  async (path) => {
    build();

    expect((await app.request(path, asBrowser)).status).toBe(404);
  },
);

test("without a build there is a page that says how to make one (GATEWAY-PAGE-3)", async () => {
  const response = await app.request("/");

  expect(response.status).toBe(503);
  expect(await response.text()).toContain("npm run build -w dashboard");
});

test("a build that is made while the daemon runs is there at once", async () => {
  expect((await app.request("/")).status).toBe(503);

  build();

  expect((await app.request("/")).status).toBe(200);
});
