// A browser that is played by the test: what it says, and when it dies.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { nothingHolds } from "../../sandbox/report.ts";
import type { RunEnding, SandboxedRun } from "../../sandbox/sandbox.ts";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { BrowserSession } from "./session.ts";

const KILLED = { code: null, signal: "SIGKILL", isAborted: false } as RunEnding;
const ENDED = { code: 0, signal: null, isAborted: true } as RunEnding;
const WINDOW = { sessionId: "s1", targetInfo: { targetId: "t1", type: "page" } };

/** Everything is answered but the navigation: there its window closes, and then it lives or dies. */
function browserThat(then: "lives" | "dies"): SandboxedRun {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { promise: ended, resolve } = Promise.withResolvers<RunEnding>();
  const say = (message: object) => stdout.write(`${JSON.stringify(message)}\0`);
  let isDying = false;
  const take = ({ id, method }: { id: number; method: string }) => {
    if (isDying) return;
    if (method === "Page.navigate") {
      isDying = then === "dies";
      say({ method: "Target.detachedFromTarget", params: { sessionId: "s1" } });
      if (isDying) setTimeout(() => resolve(KILLED), 50);
      return;
    }
    const isOpened = method === "Target.createTarget";
    if (isOpened) say({ method: "Target.attachedToTarget", params: WINDOW });
    say({ id, result: isOpened ? { targetId: "t1" } : { browserContextId: "c1" } });
  };
  stdin.on("data", (bytes: Buffer) => {
    for (const text of bytes.toString().split("\0").filter(Boolean)) take(JSON.parse(text));
  });
  return { pid: process.pid, stdin, stdout, stderr, ended, kill: () => resolve(ENDED) };
}

async function sessionOf(browser: SandboxedRun): Promise<BrowserSession> {
  const socketFolder = mkdtempSync(join(tmpdir(), "aos-session-"));
  onTestFinished(() => rmSync(socketFolder, { recursive: true, force: true }));
  const sandbox = { report: nothingHolds("a fake", []) };
  const runner = { sandbox: async () => sandbox, socketFolder } as never;
  const session = await BrowserSession.start(
    runner,
    deviceContextForTest(),
    {},
    async () => browser,
  );
  onTestFinished(() => session.end({} as never));
  return session;
}

async function navigateIn(browser: SandboxedRun): Promise<unknown> {
  const session = await sessionOf(browser);
  const options = { isOnline: false, timeoutMs: 600_000 };
  return session.call(deviceContextForTest(), options, async (windows) =>
    (await windows.newest()).send("Page.navigate"),
  );
}

test("BROWSER-SESSION-4: a browser that dies in the middle of a call has ended, though its window closed first", async () => {
  await expect(navigateIn(browserThat("dies"))).rejects.toMatchObject({
    code: "EUPSTREAM",
    message: "the browser has ended: signal SIGKILL",
  });
});

test("BROWSER-SESSION-4: a window that closes in a browser that lives was closed", async () => {
  await expect(navigateIn(browserThat("lives"))).rejects.toMatchObject({
    code: "ESTATE",
    message: "Page.navigate: the window was closed",
  });
});

test("BROWSER-SESSION-5: how secret what a page was given is counts for every later call, and not for what only looked", async () => {
  const session = await sessionOf(browserThat("lives"));
  const hasRead = { integrity: "untrusted", secrecy: "confidential" } as const;
  const [looking, giving] = [deviceContextForTest({ hasRead }), deviceContextForTest({ hasRead })];
  const [between, after] = [deviceContextForTest(), deviceContextForTest()];
  const call = (context: typeof after, isOnline: boolean) =>
    session.call(context, { isOnline, timeoutMs: 600_000 }, async () => {});

  await call(looking, false);
  await call(between, false);
  await call(giving, true);
  await call(after, false);

  expect(between.saw).toEqual([]);
  expect(after.saw).toEqual([{ integrity: "trusted", secrecy: "confidential" }]);
});
