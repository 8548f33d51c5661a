// The page in a real Chromium, over a real daemon.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client } from "@aos/client";
import type { Role } from "@aos/protocol";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "@aos/drivers/parts";
import { buildDashboard } from "../../scripts/build-dashboard.ts";
import { createTestHome, daemonPid, ROOT, type TestHome } from "./home.ts";

const program = findChromium();
/** Set it to look at what the page looks like. */
const kept = process.env["AOS_SCREENSHOTS"];

let home: TestHome;
let browser: Browser;
let origin: string;
/** What happens beside the page: what others start, answer and see. */
let operator: Client;
let pictures: string;
/** What a page complained of: console and script errors. */
let complaints: string[] = [];

describe.skipIf(program === undefined)("the page (chromium)", () => {
  beforeAll(async () => {
    buildDashboard();
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    home = createTestHome({ AOS_HTTP: `127.0.0.1:${port}` });
    pictures = kept ?? mkdtempSync(join(tmpdir(), "aos-pictures-"));
    await home.aos("up", "-d");
    const made = await home.aos("token", "create", "--role", "operator", "-o", "json");
    const { token } = made.json() as { token: string };
    operator = createClient({
      baseUrl: origin,
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
    });
    browser = await chromium.launch({ executablePath: program!, args: ["--no-sandbox"] });
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    complaints = [];
  });
  afterAll(async () => {
    await browser?.close();
    await home?.remove();
    if (kept === undefined) rmSync(pictures, { recursive: true, force: true, maxRetries: 20 });
  });

  test("before anything has run, it says so, and what to type", async () => {
    const page = await enter("/");

    await page.getByText("No runs yet").waitFor();
    await page.getByRole("link", { name: "Approvals" }).click();
    await page.getByText("No pending questions").waitFor();
    expect(complaints).toEqual([]);
  });

  test("the login address works once and leaves no key behind; then a token is asked for", async () => {
    const address = await loginAddress();
    const first = await newPage();
    const response = await first.goto(address);
    await first.getByRole("heading", { name: "Runs" }).waitFor();

    const second = await newPage();
    await second.goto(address);
    await second.getByText("The login key was used already, or has expired").waitFor();
    await second.getByLabel("Token").fill(await tokenOf("operator"));
    await second.getByRole("button", { name: "Log in" }).click();
    await second.getByRole("heading", { name: "Runs" }).waitFor();

    expect(first.url()).toBe(`${origin}/`);
    expect(response?.headers()["content-security-policy"]).toMatch(/script-src 'self';/);
    expect(response?.headers()["content-security-policy"]).not.toContain("unsafe");
    await second.getByRole("button", { name: "Log out" }).click();
    await second.getByRole("heading", { name: "Log in" }).waitFor();
  });

  test("a run appears, asks and goes on by itself; its timeline grows with every record", async () => {
    const page = await enter("/");
    const pid = await asks("lunch, 12 francs");
    const row = page.getByRole("row").filter({ has: page.locator(`[title="${pid}"]`) });
    await row.getByText("waits for a person").locator("visible=true").waitFor();

    await row.getByRole("link").click();
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("infer").waitFor();
    expect(await timeline.getByText("approved").count()).toBe(0);
    await operator.answer({ id: (await questionOf(pid)).id, choice: "approve" });

    await timeline.getByText("approved", { exact: true }).waitFor();
    await page.getByRole("region", { name: "Output" }).getByText("Entered.").waitFor();
    await timeline.getByRole("button", { name: /file\.append/ }).click();
    await timeline.getByText(/^approved by \w+ \(ask_.*kernel\/red-external\)$/).waitFor();
    await timeline.getByRole("button", { name: "Explain this decision" }).click();
    await timeline.getByText("tool:file.append:call", { exact: true }).first().waitFor();
    expect(page.url()).toMatch(/\?seq=\d+$/);
    expect(complaints).toEqual([]);
  });

  test("a question shows what was read, the rule and what always gives; the keyboard answers it", async () => {
    const pid = await asks("pay mallory");
    const page = await enter("/approvals");
    const card = page.getByRole("article");
    await card.getByText("RED", { exact: true }).waitFor();
    await card.getByText("kernel/red-external").waitFor();
    await card.getByRole("button", { name: "Always…" }).click();
    await card.getByText(/^tool:file\.append:call\{.*pin\.line:"pay mallory"/).waitFor();
    await card.getByRole("button", { name: "Back" }).click();
    await page.screenshot({ path: join(pictures, "question.png") });

    await page.getByRole("heading", { name: "Approvals" }).click();
    await page.keyboard.press("j");
    await page.keyboard.press("a");

    await page.getByText("No pending questions").waitFor();
    expect(await ending(pid)).toMatchObject({ state: "completed", output: "Entered." });
    expect(complaints).toEqual([]);
  });

  test("a no is the agent's to read, with its reason, and is a refusal in the timeline", async () => {
    const pid = await asks("pay trudy");
    const page = await enter(`/runs/${pid}`);

    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByLabel(/^Reason for the agent/).fill("who is trudy?");
    await page.keyboard.press("Enter");

    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("refused", { exact: true }).waitFor();
    expect(JSON.stringify(await ending(pid))).toContain("who is trudy?");
    expect(complaints).toEqual([]);
  });

  test("a daemon that is killed and started again: the page waits, catches up and goes on", async () => {
    const pid = await asks("pay after a crash");
    const page = await enter(`/runs/${pid}`);
    await page.getByRole("button", { name: "Approve" }).waitFor();
    const events = "**/api/v1/events";
    await page.route(events, (route) => route.abort()); // it stays away until we are done

    process.kill(daemonPid(home.folder)!, "SIGKILL");
    await page.getByText("The daemon does not answer.").waitFor();
    await page.screenshot({ path: join(pictures, "lost.png") });
    await home.aos("up", "-d");
    await operator.answer({ id: (await questionOf(pid)).id, choice: "approve" });
    await ending(pid);
    await page.unroute(events);
    await page.getByRole("status").getByText("Live").waitFor();
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("approved", { exact: true }).waitFor();

    const next = await asks("pay the next one");
    await page.getByRole("link", { name: "Approvals" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    expect(await ending(next)).toMatchObject({ state: "completed", output: "Entered." });
    expect(complaints.filter((text) => !text.includes("net::ERR_"))).toEqual([]);
  });

  test("a viewer sees everything and can answer and stop nothing", async () => {
    const pid = await asks("pay as a viewer");
    const page = await newPage();
    await page.goto(`${origin}/runs/${pid}`);
    await page.getByLabel("Token").fill(await tokenOf("viewer"));
    await page.getByRole("button", { name: "Log in" }).click();

    await page.getByText("You see this as a viewer").waitFor();
    for (const name of ["Approve", "Deny", "Pause", "Kill"])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    await withdraw(pid);
  });

  test("the keyboard finds a run and opens it", async () => {
    await operator.spawn(exampleOf("hello", "by hand"));
    const page = await enter("/");
    await page.getByRole("table").waitFor();

    await page.keyboard.press("/");
    await page.keyboard.type("hello");
    await page.waitForURL(/find=hello/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { name: "hello", level: 1 }).waitFor();
    await page.getByRole("region", { name: "Output" }).waitFor();
  });

  test.each([
    [1280, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"],
  ] as const)("every view fits %i px, in %s", async (width, colorScheme) => {
    const pid = await asks(`${"a-long-word-".repeat(30)} ${width} ${colorScheme}`);
    const page = await enter("/", { width, colorScheme });
    const views = { runs: "/", run: `/runs/${pid}?seq=0`, approvals: "/approvals" };

    for (const [name, path] of Object.entries(views)) {
      await page.goto(origin + path);
      await page.getByRole("status").getByText("Live").waitFor();
      await page
        .getByText(name === "runs" ? "waits for a person" : "RED")
        .locator("visible=true")
        .first()
        .waitFor();
      await page.evaluate("document.fonts.ready");
      const picture = join(pictures, `${name}-${width}-${colorScheme}.png`);
      await page.screenshot({ path: picture, fullPage: true });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expect(await page.evaluate("document.documentElement.dataset.theme")).toBe(colorScheme);
    }

    await withdraw(pid);
    expect(complaints).toEqual([]);
  });
});

async function newPage(more: { width?: number; colorScheme?: "light" | "dark" } = {}) {
  const { width = 1280, colorScheme = "light" } = more;
  const context = await browser.newContext({ viewport: { width, height: 844 }, colorScheme });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  return page;
}

/** A page of the operator's, at a view. */
async function enter(path: string, more: Parameters<typeof newPage>[0] = {}): Promise<Page> {
  const page = await newPage(more);
  await page.goto(await loginAddress());
  await page.getByRole("status").getByText("Live").waitFor();
  if (path !== "/") await page.goto(origin + path);
  return page;
}

const loginAddress = async (): Promise<string> => (await operator.loginKey()).url!;

const tokenOf = async (role: Role): Promise<string> =>
  (await operator.createAccessToken({ role })).token;

const exampleOf = (name: string, input: string) => {
  const folder = join(ROOT, "examples", name);
  const text = readFileSync(join(folder, "agent.yaml"), "utf8");
  return { manifest: { file: `${name}/agent.yaml`, text }, folder, input };
};

/** A run that waits for a person, who is asked whether the line may be entered. */
async function asks(line: string): Promise<string> {
  const { pid } = await operator.spawn({
    ...exampleOf("approval", line),
    label: "untrusted/public",
  });
  await expect.poll(() => questionOf(pid), { timeout: 120_000 }).toBeDefined();
  return pid;
}

const questionOf = async (pid: string) =>
  (await operator.questions()).find((question) => question.pid === pid)!;

const withdraw = async (pid: string) => operator.cancelQuestion({ id: (await questionOf(pid)).id });

const ending = (pid: string) => operator.wait({ pid, timeoutMs: 120_000 });

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
