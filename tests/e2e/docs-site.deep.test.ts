// The documentation at /docs/ in a real Chromium, over a real daemon and from a folder of files.

import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { buildDocs, writeSite } from "../../scripts/build-docs.ts";
import { flawsOf } from "./page/accessibility.ts";
import { PageRig, program } from "./page/page-rig.ts";

describe("the files of the documentation", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "aos-docs-"));
    writeSite(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("have no link that leads nowhere", () => {
    const pages = globSync("**/*.html", { cwd: folder });
    const text = new Map(pages.map((page) => [page, readFileSync(join(folder, page), "utf8")]));

    const lost = [...text].flatMap(([page, html]) =>
      [...html.matchAll(/(?:href|src)="([^"]+)"/g)]
        .map(([, target]) => target!)
        .filter((target) => !/^(https?:|mailto:)/.test(target))
        .filter((target) => {
          const [path = "", anchor] = target.split("#", 2);
          const file = path === "" ? page : join(dirname(page), path);
          if (!existsSync(join(folder, file))) return true;
          return anchor !== undefined && text.get(file)?.includes(`id="${anchor}"`) !== true;
        })
        .map((target) => `${page}: ${target}`),
    );

    expect(pages.length).toBeGreaterThan(80);
    expect(lost).toEqual([]);
  });

  test("have no inline script or style, and nothing from elsewhere", () => {
    const wrong = globSync("**/*.html", { cwd: folder }).filter((page) =>
      /<script(?! src="[^":]+" defer>)|<style| style="|(?:src|stylesheet" href)="https?:/.test(
        readFileSync(join(folder, page), "utf8"),
      ),
    );

    expect(wrong).toEqual([]);
  });
});

describe.skipIf(program === undefined)("the documentation (chromium)", () => {
  let rig: PageRig;
  beforeAll(async () => {
    buildDocs();
    rig = await PageRig.open();
  });
  afterEach(() => rig.rest());
  afterAll(() => rig.close());

  const pages = ["", "policy.html", "man/commands.html", "examples/hello.html", "glossary.html"];

  test.each(
    pages.flatMap((page) => [
      { page, width: 390, colorScheme: "light" as const },
      { page, width: 1440, colorScheme: "dark" as const },
    ]),
  )("/docs/$page reads at $width px, $colorScheme", async ({ page: path, width, colorScheme }) => {
    const page = await rig.newPage({ width, colorScheme });

    await page.goto(`${rig.origin}/docs/${path}`);

    await page.locator("h1").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(await flawsOf(page)).toEqual([]);
    expect(rig.complaints).toEqual([]);
    await rig.picture(page, `docs-${path.replaceAll(/\W/g, "-")}-${width}`);
  });

  test("a search by keyboard leads to the section", async () => {
    const page = await rig.newPage();
    await page.goto(`${rig.origin}/docs/man/exec.html`);

    await searchFor(page, "quarantine");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");

    await page.waitForURL(/memory/);
    expect(rig.complaints).toEqual([]);
  });

  test("the theme is the one that was chosen on the page of Agent OS", async () => {
    const page = await rig.newPage();
    await page.goto(`${rig.origin}/docs/`);
    await page.evaluate(`localStorage.setItem("aos.theme", "dark")`);

    await page.reload();

    await page.locator('html[data-theme="dark"]').waitFor();
  });

  test("the files can be read and searched without a daemon", async () => {
    const folder = mkdtempSync(join(tmpdir(), "aos-docs-"));
    try {
      writeSite(folder);
      const page = await rig.newPage();
      await page.goto(pathToFileURL(join(folder, "man/exec.html")).href);

      await searchFor(page, "ceiling of a tenant");

      expect(await page.locator("#results a").first().getAttribute("href")).toMatch(
        /tenants\.html/,
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

async function searchFor(page: Page, words: string): Promise<void> {
  await page.locator(".search input:enabled").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type(words);
  await page.locator("#results a").first().waitFor();
}
