import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GatewayEnv } from "./caller.ts";
import { addDocsSite } from "./docs-site.ts";

let above: string;
let app: Hono<GatewayEnv>;

beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), "aos-docs-"));
  writeFileSync(join(above, "secret.html"), "not for you");
  app = new Hono<GatewayEnv>();
  addDocsSite(app, join(above, "dist"));
});
afterEach(() => rmSync(above, { recursive: true, force: true }));

function build(): void {
  mkdirSync(join(above, "dist/man"), { recursive: true });
  writeFileSync(join(above, "dist/index.html"), "<p>first</p>");
  writeFileSync(join(above, "dist/man/exec.html"), "<p>exec</p>");
  writeFileSync(join(above, "dist/notes.txt"), "of no kind that the site has");
}

test("the first page is at /docs/, to which /docs leads", async () => {
  build();

  const led = await app.request("/docs");
  const first = await app.request("/docs/");

  expect([led.status, led.headers.get("location")]).toEqual([308, "/docs/"]);
  expect(await first.text()).toBe("<p>first</p>");
  expect(first.headers.get("content-type")).toBe("text/html; charset=utf-8");
});

test("pages in folders are served, and say when they are to be asked for again", async () => {
  build();

  const page = await app.request("/docs/man/exec.html");

  expect(await page.text()).toBe("<p>exec</p>");
  expect(page.headers.get("cache-control")).toBe("no-cache");
});

test.each([
  "/docs/../secret.html",
  "/docs/%2e%2e/secret.html",
  "/docs/..%2fsecret.html",
  "/docs/man/../../secret.html",
  "/docs//secret.html",
  "/docs/notes.txt",
  "/docs/man",
  "/docs/gone.html",
])("%s is no page (DOCS-SITE-1)", async (path) => {
  build();

  expect((await app.request(path)).status).toBe(404);
});

test("without a build the page says how to make one (DOCS-SITE-2)", async () => {
  const page = await app.request("/docs/");

  expect(page.status).toBe(503);
  expect(await page.text()).toContain("npm run docs");
});
