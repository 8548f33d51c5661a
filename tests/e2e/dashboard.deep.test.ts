// The page in a real Chromium, over a real daemon: login, runs, approvals. views.deep.test.ts has the other views.

import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { daemonPid } from "./home.ts";
import { exampleOf, PageRig, program } from "./page/page-rig.ts";

let rig: PageRig;

describe.skipIf(program === undefined)("the page (chromium)", () => {
  beforeAll(async () => {
    rig = await PageRig.open();
  });
  afterEach(() => rig.rest());
  afterAll(() => rig?.close());

  test("before anything has run, it says so, and what to type", async () => {
    const page = await rig.enter("/");

    await page.getByText("No runs yet").waitFor();
    await page.getByRole("link", { name: "Approvals" }).click();
    await page.getByText("No pending questions").waitFor();
    expect(rig.complaints).toEqual([]);
  });

  test("the login address works once and leaves no key behind; then a token is asked for", async () => {
    const address = await rig.loginAddress();
    const first = await rig.newPage();
    const response = await first.goto(address);
    await first.getByRole("heading", { name: "Overview" }).waitFor();

    const second = await rig.newPage();
    await second.goto(address);
    await second.getByText("The login key was used already, or has expired").waitFor();
    await second.getByLabel("Token").fill(await rig.tokenOf("operator"));
    await second.getByRole("button", { name: "Log in" }).click();
    await second.getByRole("heading", { name: "Overview" }).waitFor();

    expect(first.url()).toBe(`${rig.origin}/`);
    expect(response?.headers()["content-security-policy"]).toMatch(/script-src 'self';/);
    expect(response?.headers()["content-security-policy"]).not.toContain("unsafe");
    await second.getByRole("button", { name: "Log out" }).click();
    await second.getByRole("heading", { name: "Log in" }).waitFor();
  });

  test("a run appears, asks and goes on by itself; its timeline grows with every record", async () => {
    const page = await rig.enter("/runs");
    const pid = await rig.asks("lunch, 12 francs");
    const row = page.getByRole("row").filter({ has: page.locator(`[title="${pid}"]`) });
    await row.getByText("waits for a person").locator("visible=true").waitFor();

    await row.getByRole("link").click();
    await page.getByRole("link", { name: "Timeline" }).click();
    const timeline = page.getByRole("list", { name: "Steps" });
    await timeline.getByText("infer").waitFor();
    expect(await timeline.getByText("approved").count()).toBe(0);
    await rig.operator.answer({ id: (await rig.questionOf(pid)).id, choice: "approve" });

    await timeline.getByText("approved", { exact: true }).waitFor();
    await page.getByRole("region", { name: "Output" }).getByText("Entered.").waitFor();
    await timeline.getByRole("button", { name: /file\.append/ }).click();
    await timeline.getByText(/^approved by \w+ \(ask_.*kernel\/red-external\)$/).waitFor();
    await timeline.getByRole("button", { name: "Explain this decision" }).click();
    await timeline.getByText("tool:file.append:call", { exact: true }).first().waitFor();
    expect(page.url()).toMatch(/view=timeline&seq=\d+$/);
    expect(rig.complaints).toEqual([]);
  });

  test("a question shows what was read, the rule and what always gives; the keyboard answers it", async () => {
    const pid = await rig.asks("pay mallory");
    const page = await rig.enter("/approvals");
    const card = page.getByRole("article");
    await card.getByText("RED", { exact: true }).waitFor();
    await card.getByText("kernel/red-external").waitFor();
    await card.getByRole("button", { name: "Always…" }).click();
    await card.getByText(/^tool:file\.append:call\{.*pin\.line:"pay mallory"/).waitFor();
    await card.getByRole("button", { name: "Back" }).click();
    await page.screenshot({ path: join(rig.pictures, "question.png") });

    await page.getByRole("heading", { name: "Approvals" }).click();
    await page.keyboard.press("j");
    await page.keyboard.press("a");

    await page.getByText("No pending questions").waitFor();
    expect(await rig.ending(pid)).toMatchObject({ state: "completed", output: "Entered." });
    expect(rig.complaints).toEqual([]);
  });

  test("a no is the agent's to read, with its reason, and is a refusal in the timeline", async () => {
    const pid = await rig.asks("pay trudy");
    const page = await rig.enter(`/runs/${pid}?view=timeline`);

    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByLabel(/^Reason for the agent/).fill("who is trudy?");
    await page.keyboard.press("Enter");

    const timeline = page.getByRole("list", { name: "Steps" });
    await timeline.getByText("refused", { exact: true }).waitFor();
    expect(JSON.stringify(await rig.ending(pid))).toContain("who is trudy?");
    expect(rig.complaints).toEqual([]);
  });

  test("a daemon that is killed and started again: the page waits, catches up and goes on", async () => {
    const pid = await rig.asks("pay after a crash");
    const page = await rig.enter(`/runs/${pid}?view=timeline`);
    await page.getByRole("button", { name: "Approve" }).waitFor();
    const events = "**/api/v1/events";
    await page.route(events, (route) => route.abort()); // it stays away until we are done

    process.kill(daemonPid(rig.home.folder)!, "SIGKILL");
    await page.getByText("The daemon does not answer.").waitFor();
    await page.screenshot({ path: join(rig.pictures, "lost.png") });
    await rig.home.aos("up", "-d");
    await rig.operator.answer({ id: (await rig.questionOf(pid)).id, choice: "approve" });
    await rig.ending(pid);
    await page.unroute(events);
    await page.getByRole("status").getByText("Live").waitFor();
    const timeline = page.getByRole("list", { name: "Steps" });
    await timeline.getByText("approved", { exact: true }).waitFor();

    const next = await rig.asks("pay the next one");
    await page.getByRole("link", { name: "Approvals" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    expect(await rig.ending(next)).toMatchObject({ state: "completed", output: "Entered." });
    expect(rig.complaints.filter((text) => !text.includes("net::ERR_"))).toEqual([]);
  });

  test("a viewer sees everything and can answer and stop nothing", async () => {
    const pid = await rig.asks("pay as a viewer");
    const page = await rig.newPage();
    await page.goto(`${rig.origin}/runs/${pid}`);
    await page.getByLabel("Token").fill(await rig.tokenOf("viewer"));
    await page.getByRole("button", { name: "Log in" }).click();

    await page.getByText("You see this as a viewer").waitFor();
    for (const name of ["Approve", "Deny", "Pause", "Kill"])
      expect(await page.getByRole("button", { name }).count()).toBe(0);
    await rig.withdraw(pid);
  });

  test("the keyboard finds a run and opens it", async () => {
    await rig.operator.spawn(exampleOf("hello", "by hand"));
    const page = await rig.enter("/runs");
    await page.getByRole("table").waitFor();

    await page.keyboard.press("/");
    await page.keyboard.type("hello");
    await page.waitForURL(/find=hello/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");

    await page.getByRole("heading", { name: "hello", level: 1 }).waitFor();
    await page.getByRole("region", { name: "Output" }).waitFor();
  });

  test("a view of runs is saved, found again and removed; words that were said are found as well", async () => {
    await rig.operator.spawn(exampleOf("hello", "the quick marmot"));
    const page = await rig.enter("/runs");
    await page.getByRole("treegrid").or(page.getByRole("table")).first().waitFor(); // before it no key is heard
    await page.keyboard.press("/");
    await page.keyboard.type("marmot");
    await page.getByText("No matching runs").waitFor();
    const said = page.getByRole("region", { name: "Said in runs" });
    await said
      .getByText(/quick marmot/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Save this view" }).click();
    await page.getByLabel("Name of the view").fill("marmots");
    await page.getByRole("button", { name: "Save", exact: true }).click();

    await page.goto(`${rig.origin}/runs`);
    await page.getByRole("link", { name: "marmots" }).click();
    await page.waitForURL(/find=marmot/);
    await said.getByRole("link", { name: "hello" }).first().click();
    await page.waitForURL(/view=timeline&seq=\d+/);

    await page.goto(`${rig.origin}/runs`);
    await page.getByRole("button", { name: "Remove the view marmots" }).click();
    expect(await page.getByRole("link", { name: "marmots" }).count()).toBe(0);
    expect(rig.complaints).toEqual([]);
  });

  test.each([
    [1280, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"],
  ] as const)("every view fits %i px, in %s", async (width, colorScheme) => {
    const pid = await rig.asks(`${"a-long-word-".repeat(30)} ${width} ${colorScheme}`);
    const page = await rig.enter("/", { width, colorScheme });
    const views = {
      runs: "/runs",
      run: `/runs/${pid}?view=timeline&seq=0`,
      approvals: "/approvals",
    };

    for (const [name, path] of Object.entries(views)) {
      await page.goto(rig.origin + path);
      await page.getByRole("status").getByText("Live").waitFor();
      await page
        .getByText(name === "runs" ? "waits for a person" : "RED")
        .locator("visible=true")
        .first()
        .waitFor();
      await page.evaluate("document.fonts.ready");
      const picture = join(rig.pictures, `${name}-${width}-${colorScheme}.png`);
      await page.screenshot({ path: picture, fullPage: true });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expect(await page.evaluate("document.documentElement.dataset.theme")).toBe(colorScheme);
    }

    await rig.withdraw(pid);
    expect(rig.complaints).toEqual([]);
  });
});
