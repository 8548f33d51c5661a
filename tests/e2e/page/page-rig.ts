// PageRig: a daemon, its page in a real Chromium, and an operator who acts beside it.
//
// PAGE-RIG-1  What a page complains of (console messages and script errors) is kept, and each test asks for it.
// PAGE-RIG-2  With AOS_SCREENSHOTS=FOLDER the pictures that tests take stay there, to be looked at.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type Client } from "@aos/client";
import type { Role } from "@aos/protocol";
import { chromium, type Browser, type Page } from "playwright-core";
import { expect } from "vitest";
import { findChromium } from "@aos/drivers/parts";
import { buildDashboard } from "../../../scripts/build-dashboard.ts";
import { createTestHome, ROOT, type TestHome } from "../home.ts";

/** Where Chromium is, if it is there. */
export const program = findChromium();

export interface Screen {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
}

export class PageRig {
  readonly home: TestHome;
  readonly origin: string;
  /** What happens beside the page: what others start, answer and see. */
  readonly operator: Client;
  readonly pictures: string;
  /** PAGE-RIG-1. */
  complaints: string[] = [];
  readonly #browser: Browser;

  private constructor(parts: {
    home: TestHome;
    origin: string;
    operator: Client;
    browser: Browser;
  }) {
    this.home = parts.home;
    this.origin = parts.origin;
    this.operator = parts.operator;
    this.#browser = parts.browser;
    this.pictures = kept ?? mkdtempSync(join(tmpdir(), "aos-pictures-"));
  }

  static async open(): Promise<PageRig> {
    buildDashboard();
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const home = createTestHome({ AOS_HTTP: `127.0.0.1:${port}` });
    await home.aos("up", "-d");
    const made = await home.aos("token", "create", "--role", "operator", "-o", "json");
    const { token } = made.json() as { token: string };
    const operator = createClient({
      baseUrl: origin,
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } }),
    });
    const browser = await chromium.launch({ executablePath: program!, args: ["--no-sandbox"] });
    return new PageRig({ home, origin, operator, browser });
  }

  /** After each test. */
  async rest(): Promise<void> {
    for (const context of this.#browser.contexts()) await context.close();
    this.complaints = [];
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.home.remove();
    if (kept === undefined) rmSync(this.pictures, { recursive: true, force: true, maxRetries: 20 });
  }

  async newPage({ width = 1280, colorScheme = "light" }: Screen = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width, height: 844 },
      colorScheme,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        this.complaints.push(message.text());
    });
    return page;
  }

  /** A page of the operator's, at a view. */
  async enter(path: string, more: Screen = {}): Promise<Page> {
    const page = await this.newPage(more);
    await page.goto(await this.loginAddress());
    await page.getByRole("status").getByText("Live").waitFor();
    if (path !== "/") await page.goto(this.origin + path);
    return page;
  }

  /** What is on the screen, as a file to look at. */
  async picture(page: Page, name: string): Promise<void> {
    await page.evaluate("document.fonts.ready");
    await page.screenshot({ path: join(this.pictures, `${name}.png`), fullPage: true });
  }

  loginAddress = async (): Promise<string> => (await this.operator.loginKey()).url!;

  tokenOf = async (role: Role): Promise<string> =>
    (await this.operator.createAccessToken({ role })).token;

  /** A run that waits for a person, who is asked whether the line may be entered. */
  async asks(line: string): Promise<string> {
    const { pid } = await this.operator.spawn({
      ...exampleOf("approval", line),
      label: "untrusted/public",
    });
    await expect.poll(() => this.questionOf(pid), { timeout: 120_000 }).toBeDefined();
    return pid;
  }

  questionOf = async (pid: string) =>
    (await this.operator.questions()).find((question) => question.pid === pid)!;

  withdraw = async (pid: string) =>
    this.operator.cancelQuestion({ id: (await this.questionOf(pid)).id });

  ending = (pid: string) => this.operator.wait({ pid, timeoutMs: 120_000 });
}

const kept = process.env["AOS_SCREENSHOTS"];

export const exampleOf = (name: string, input: string) => {
  const folder = join(ROOT, "examples", name);
  const text = readFileSync(join(folder, "agent.yaml"), "utf8");
  return { manifest: { file: `${name}/agent.yaml`, text }, folder, input };
};

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
