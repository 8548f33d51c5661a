import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import type { ProgramRunner } from "../program-runner.ts";
import { createBrowserTools } from "./browser-tools.ts";
import { findChromium } from "./chromium.ts";

const PLACE = { workspace: { isCow: false } };
const tools = (runner: unknown) =>
  Object.fromEntries(createBrowserTools(runner as ProgramRunner).map((tool) => [tool.name, tool]));

test("the tools cost nothing before they are used", () => {
  expect(Object.keys(tools(undefined))).toEqual([
    "browser.navigate",
    "browser.read",
    "browser.click",
    "browser.fill",
    "browser.screenshot",
  ]);
});

test("BROWSER-TOOLS-1, BROWSER-TOOLS-2: where it goes, and what doing it twice does", () => {
  const all = tools(undefined);
  const said = (name: string, args: Record<string, string>) => {
    const tool = all[name]!;
    return [tool.effect, tool.egress ?? false, tool.sinks?.(args, PLACE)];
  };

  expect(said("browser.navigate", { url: "https://a.example/" })).toEqual([
    "idempotent",
    true,
    ["egress"],
  ]);
  expect(said("browser.click", { text: "go" })).toEqual(["external", true, ["egress"]]);
  expect(said("browser.fill", { selector: "a", value: "" })).toEqual([
    "idempotent",
    true,
    ["egress"],
  ]);
  expect(said("browser.read", {})).toEqual(["read", false, []]);
  expect(said("browser.screenshot", {})).toEqual(["read", false, []]);
});

test("a page is asked about by host, port and path", () => {
  const { "browser.navigate": navigate } = tools(undefined);

  expect(navigate!.touches({ url: "https://A.example/b?c#d" }, PLACE)).toEqual([
    { kind: "browser", resource: "a.example:443/b", verb: "navigate" },
  ]);
  for (const url of ["file:///etc/passwd", "chrome://gpu", "javascript:1", "//a.example/"])
    expect(navigate!.refuses?.({ url })).toContain("http");
  expect(navigate!.refuses?.({ url: "https://a.example/{{secret:KEY}}" })).toContain("secret");
});

test("a click is by selector or by text", () => {
  const { "browser.click": click } = tools(undefined);

  expect(click!.refuses?.({ text: "a" })).toBeUndefined();
  expect(click!.refuses?.({})).toContain("give either");
  expect(click!.refuses?.({ text: "a", selector: "b" })).toContain("give either");
});

test("without the sandbox there is no browser, and nothing is left of the attempt", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-browser-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sandbox = async () => ({ report: { level: "none" } });
  const { "browser.read": read } = tools({ sandbox, socketFolder: folder });

  const reading = read!.run({}, deviceContextForTest());

  await expect(reading).rejects.toMatchObject({ code: "EACCES" });
  expect(readdirSync(folder)).toEqual([]);
});

test("the browser is the program itself, where it is", () => {
  expect(findChromium(() => true)).toBe("/usr/lib/chromium/chromium");
  expect(findChromium((path) => path.includes("google"))).toBe("/opt/google/chrome/chrome");
  expect(findChromium(() => false)).toBeUndefined();
});
