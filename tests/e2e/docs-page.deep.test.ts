// The API reference at /docs/reference/http in a real Chromium, over a real daemon, with no network beyond it.

import { createServer, type AddressInfo } from "node:net";
import { findChromium } from "@aos/drivers/parts";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createTestHome, type TestHome } from "./home.ts";

const program = findChromium();

let home: TestHome;
let browser: Browser;
let origin: string;
/** What the page asked of anybody but the daemon, and what it complained of. */
let elsewhere: string[] = [];
let complaints: string[] = [];

describe.skipIf(program === undefined)("the API reference (chromium)", () => {
  beforeAll(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    home = createTestHome({ AOS_HTTP: `127.0.0.1:${port}` });
    await home.aos("up", "-d");
    browser = await chromium.launch({ executablePath: program!, args: ["--no-sandbox"] });
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    [elsewhere, complaints] = [[], []];
  });
  afterAll(async () => {
    await browser?.close();
    await home?.remove();
  });

  test("sends an operation with the session of the browser, and shows status and body", async () => {
    const page = await openDocs("viewer");

    await send(page, "status");

    const shown = page.locator("#status output");
    await shown.getByText("200").waitFor();
    expect(JSON.parse((await shown.innerText()).split("\n").slice(1).join("\n"))).toMatchObject({
      url: origin,
    });
    expect({ elsewhere, complaints }).toEqual({ elsewhere: [], complaints: [] });
  });

  test("gives a session no more than its role: what it may not do is refused", async () => {
    const page = await openDocs("viewer");

    await send(page, "collect");

    await page.locator("#collect output").getByText("EACCES").waitFor();
    expect(await page.locator("#collect output").innerText()).toMatch(/^403/);
  });

  test("says that nobody is logged in, where nobody is", async () => {
    const page = await openDocs();

    await send(page, "status");

    await page.locator("#status output").getByText("Nobody is logged in here").waitFor();
    expect(await page.locator("#status output").innerText()).toMatch(/^401/);
  });

  test("puts a path's parameter where it belongs, and shows markup as text", async () => {
    const page = await openDocs("viewer");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));

    await page.locator("#show summary").filter({ hasText: "Try it" }).click();
    await page.locator('#show input[name="pid"]').fill("a/../<b>x</b>");
    await page.locator("#show form.try button").first().click();
    await page
      .locator("#show output")
      .getByText(/^4\d\d/)
      .waitFor();

    expect(asked).toEqual(["/api/v1/processes/a%2F..%2F%3Cb%3Ex%3C%2Fb%3E"]);
    expect(await page.locator("#show output *").count()).toBe(0);
  });

  test("sends nothing by itself: not for an address, and not for a script's click", async () => {
    const page = await openDocs("operator");
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/")) asked.push(request.url());
    });

    await page.goto(`${origin}/docs/reference/http?tenant=x&send=1#collect`);
    await page.locator("#collect form.try").waitFor({ state: "attached" });
    await page.evaluate(
      `document.querySelector("#collect form.try").dispatchEvent(new Event("submit", { cancelable: true }))`,
    );
    await send(page, "status");
    await page.locator("#status output").getByText("200").waitFor();

    expect(asked).toEqual([`${origin}/api/v1/status`]);
  });
});

async function send(page: Page, operation: string): Promise<void> {
  const article = page.locator(`#${operation}`);
  await article.locator("summary").filter({ hasText: "Try it" }).click();
  const body = article.locator("textarea");
  if ((await body.count()) > 0) await body.fill("{}");
  await article.locator("form.try button").first().click();
}

async function openDocs(role?: "viewer" | "operator"): Promise<Page> {
  const context = await browser.newContext();
  await context.route(
    (url) => url.origin !== origin,
    async (route) => {
      elsewhere.push(route.request().url());
      await route.abort();
    },
  );
  const page = await context.newPage();
  page.on("console", (message) => {
    // The icon comes with the build of the dashboard, which this test does without.
    const isIcon = message.location().url.endsWith("/favicon.svg");
    if (message.type() === "error" && !isIcon) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${origin}/docs/reference/http`);
  if (role === undefined) return page;
  const made = await home.aos("token", "create", "--role", role, "-o", "json");
  const { token } = made.json() as { token: string };
  const headers = { "content-type": "application/json" };
  const login = { method: "POST", headers, body: JSON.stringify({ token }) };
  const asked = `fetch("/api/v1/session", ${JSON.stringify(login)}).then(({ status }) => status)`;
  expect(await page.evaluate(asked)).toBe(200);
  return page;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
