// Every view of the page in a real Chromium over a real daemon: what it shows, what can be done there, that it fits,
// and that axe finds nothing.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { putFirstAgent } from "../../../scripts/start/first-agent.ts";
import { flawsOf } from "./accessibility.ts";
import { exampleOf, PageRig, program } from "./page-rig.ts";

let rig: PageRig;
/** An ended run of the agent `hello`. */
let done: string;

describe.skipIf(program === undefined)("the views of the page (chromium)", () => {
  beforeAll(async () => {
    rig = await PageRig.open();
    putFirstAgent(rig.home.folder);
    ({ pid: done } = await rig.operator.spawn(exampleOf("hello", "Good morning")));
    await rig.ending(done);
  });
  afterEach(() => rig.rest());
  afterAll(() => rig?.close());

  test("a run reads as a conversation, and each tool call opens to its result and its reason", async () => {
    const page = await rig.enter(`/runs/${done}`);
    await page.getByText("Good morning", { exact: true }).waitFor();
    await page.getByText("You greet people.").first().waitFor();

    const tool = page.locator("details").filter({ hasText: /^echo/ }).first();
    await tool.getByText("echo", { exact: true }).click();
    await page.getByRole("button", { name: "Explain this decision" }).first().click();

    await page.getByText("tool:echo:call", { exact: true }).first().waitFor();
    await rig.picture(page, "conversation");
    expect(rig.complaints).toEqual([]);
  });

  test("an agent is started from its form, and its run is shown", async () => {
    const page = await rig.enter("/");
    await page.getByRole("button", { name: "Start an agent" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Agent").selectOption("hello");
    await dialog.getByRole("textbox", { name: "Input" }).fill("from the page");
    await dialog.getByText("aos run hello 'from the page'").waitFor();
    await rig.picture(page, "start");

    await dialog.getByRole("button", { name: "Start", exact: true }).click();

    await page.waitForURL(/\/runs\/agt_/);
    await page
      .getByRole("region", { name: "Output" })
      .getByText(/from the page/)
      .waitFor();
    expect(rig.complaints).toEqual([]);
  });

  test("an agent that stays is talked with, message by message", async () => {
    const page = await rig.enter("/");
    await page.getByRole("button", { name: "Start an agent" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/Talk with it/).check();
    await dialog.getByRole("button", { name: "Start and talk" }).click();

    const message = page.getByLabel("Message to hello");
    for (const text of ["first words", "second words"]) {
      await message.fill(text);
      await message.press("Enter");
      await page.getByText(new RegExp(`echo tool returned.*${text}`)).waitFor();
    }

    await rig.picture(page, "chat");
    const pid = page.url().split("/").at(-1)!;
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    expect(await rig.ending(pid)).toMatchObject({ state: "killed" });
    expect(rig.complaints).toEqual([]);
  });

  test("the past is shown as of a record, forked from there with its cost first, and compared", async () => {
    const page = await rig.enter(`/runs/${done}?at=3`);
    await page.getByText("record 3 of").waitFor();
    expect(await page.getByText(/echo tool returned/).count()).toBe(1); // the output, which is of the end

    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.getByText("Usually").waitFor();
    await page.getByRole("button", { name: "Fork", exact: true }).click();
    await page.waitForURL((url) => !url.pathname.includes(done) && url.pathname.includes("/runs/"));
    await page
      .getByRole("region", { name: "Output" })
      .getByText(/Good morning/)
      .waitFor();
    await page.getByRole("link", { name: "Compare the two" }).click();

    await page.getByRole("table", { name: "Steps of both runs" }).waitFor();
    await page.getByText(/of \d+ steps differ|steps are the same/).waitFor();
    await rig.picture(page, "compare");
    expect(rig.complaints).toEqual([]);
  });

  test("a call is made again with a result that a person wrote", async () => {
    const records = await rig.operator.journal({ pid: done });
    const call = records.find((record) => "call" in record && record.call === "exec")!;
    const page = await rig.enter(`/runs/${done}?at=${call.seq}`);

    await page.getByRole("button", { name: "Retry this call" }).click();
    await page.getByLabel("Do not make the call; use this result").check();
    await page.getByRole("textbox", { name: "Result" }).fill('{"text": "by hand"}');
    await page.getByRole("button", { name: "Go on with this result" }).click();

    await page.waitForURL((url) => !url.pathname.includes(done));
    await page
      .getByRole("region", { name: "Output" })
      .getByText(/by hand/)
      .waitFor();
    expect(rig.complaints).toEqual([]);
  });

  test("an ended run is replayed byte for byte, and made a test", async () => {
    const page = await rig.enter(`/runs/${done}`);

    await page.getByRole("button", { name: "Replay and verify" }).click();
    await page.getByText(/✓ \d+ records, identical/).waitFor();
    await page.getByRole("button", { name: "Make a test" }).click();

    await page
      .getByRole("dialog")
      .getByText(/^# Recorded from a run/)
      .waitFor();
    expect(rig.complaints).toEqual([]);
  });

  test("a capability is granted to a live run and revoked again", async () => {
    const pid = await rig.asks("a grant");
    const page = await rig.enter(`/runs/${pid}?view=access`);
    await page.getByText("Grant a capability").click();
    await page.getByRole("textbox", { name: "Capabilities" }).fill("tool:echo:call");
    await page.getByRole("textbox", { name: "Reason" }).fill("to try it");
    await page.getByRole("button", { name: "Grant", exact: true }).click();
    const granted = page.getByRole("listitem").filter({ hasText: "to try it" });
    await granted.waitFor();

    await granted.getByRole("button", { name: "Revoke" }).click();

    await granted.waitFor({ state: "detached" });
    const { holdings } = await rig.operator.power({ pid });
    expect(holdings.map(({ handle }) => handle)).toEqual(["birth"]);
    await rig.withdraw(pid);
    expect(rig.complaints).toEqual([]);
  });

  test("the audit is verified, and says who did what", async () => {
    const page = await rig.enter("/audit");

    await page.getByRole("button", { name: "Verify now" }).click();

    await page.getByText("✓ All intact").waitFor();
    await page.getByText("token.create").first().waitFor();
    expect(rig.complaints).toEqual([]);
  });

  test("another policy is tried on past runs without being put in force", async () => {
    const page = await rig.enter("/policy");
    await page
      .getByRole("textbox", { name: "Policy" })
      .fill("version: 1\nrules:\n  - id: no-echo\n    deny: tool:echo\n");

    await page.getByRole("button", { name: "Try it" }).click();

    await page.getByText(/[1-9]\d* of \d+ calls in \d+ runs/).waitFor();
    const { layers } = await rig.operator.policy();
    expect(JSON.stringify(layers)).not.toContain("no-echo");
    expect(rig.complaints).toEqual([]);
  });

  test("a goal is submitted, and its plan is shown with what came of each subtask", async () => {
    const page = await rig.enter("/goals");
    await page.getByRole("textbox", { name: "Goal" }).fill("greet the reader of the notes");
    await page.getByRole("button", { name: "Submit" }).click();

    await page.waitForURL(/\/goals\/agt_/);
    await page.getByRole("heading", { name: "greet the reader of the notes" }).waitFor();
    const pid = page.url().split("/").at(-1)!;
    const ended = await rig.ending(pid); // it has no model
    await page.getByRole("alert").getByText(ended.error!.code).waitFor();
    await page.getByRole("link", { name: "Goals" }).click();
    await page.getByRole("link", { name: "greet the reader of the notes" }).waitFor();
    await rig.picture(page, "goals");
    expect(rig.complaints).toEqual([]);
  });

  test("the palette goes to a view and to a run by the keyboard alone", async () => {
    const page = await rig.enter("/");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("doctor");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "System", level: 1 }).waitFor();

    await page.keyboard.press("Control+k");
    await page.keyboard.type(done.slice(-8));
    await page.keyboard.press("Enter");

    await page.waitForURL(new RegExp(done));
    expect(rig.complaints).toEqual([]);
  });

  test("what one may do is found by its words, with the chain it is held through", async () => {
    const page = await rig.enter("/access");
    await page.getByLabel("What may be done").fill("tool:echo");

    await page.getByRole("row").filter({ hasText: "its manifest" }).first().waitFor();

    expect(page.url()).toContain("what=tool%3Aecho");
    expect(rig.complaints).toEqual([]);
  });

  const views = [
    "/",
    "/runs",
    "/approvals",
    "/goals",
    "/agents",
    "/agents/hello",
    "/memory",
    "/messages",
    "/policy",
    "/access",
    "/cost",
    "/models",
    "/tools",
    "/audit",
    "/system",
    "/compare",
    "/no-such-view",
  ];

  test.each([
    [1280, "light"],
    [390, "dark"],
    [2560, "dark"],
  ] as const)(
    "every view fits %i px in %s, and axe finds nothing in it",
    async (width, colorScheme) => {
      const page = await rig.enter("/", { width, colorScheme });
      const runViews = ["talk", "timeline", "files", "access", "journal"].map(
        (view) => `/runs/${done}?view=${view}`,
      );

      for (const path of [...views, ...runViews]) {
        await page.goto(rig.origin + path);
        await page.getByRole("status").getByText("Live").waitFor();
        await page.locator("h1").first().waitFor();
        await expect.poll(() => page.getByText("Loading …").count()).toBe(0);
        await rig.picture(page, `${path.replaceAll(/\W+/g, "-")}-${width}-${colorScheme}`);

        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect({ path, overflow, flaws: await flawsOf(page) }).toEqual({
          path,
          overflow: 0,
          flaws: [],
        });
      }

      // A browser logs each 404: a run that used no files has no workspace.
      expect(rig.complaints.filter((text) => !text.includes("404"))).toEqual([]);
    },
  );

  test("the documentation of the API has no flaw that axe finds", async () => {
    const page = await rig.newPage();
    await page.goto(`${rig.origin}/docs/reference/http`);

    expect(await flawsOf(page)).toEqual([]);
  });
});
