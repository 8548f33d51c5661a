// Endings: pages that hang, browsers that are killed, calls that are stopped. Nothing is left of any.

import { describe, expect, test, vi } from "vitest";
import { SysError } from "@aos/protocol";
import { browsers, noChromium, useBrowser } from "./browser-rig.ts";

/** One of them may be idle, and about to end; others go with the first. */
function killAll(pids: readonly string[]): void {
  for (const pid of pids) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

describe.skipIf(noChromium)("the ends of a browser (chromium)", () => {
  const rig = useBrowser();
  const nothingIsLeft = () =>
    vi.waitFor(() => expect([browsers(), rig.sockets()]).toEqual([[], []]), 120_000);

  test("a host that never answers is a time-out, and the browser goes on", async () => {
    const site = await rig.site({ "/": "here", "/never": () => {} });
    const context = rig.context({ grants: rig.at(site) });
    const call = rig.fresh({ idleMs: 100 });

    const hanging = call("navigate", { url: `${site.origin}/never`, timeoutMs: 500 }, context);

    await expect(hanging).rejects.toMatchObject({ code: "ETIMEDOUT" });
    expect(await call("navigate", { url: `${site.origin}/` }, context)).toMatchObject({
      loaded: true,
    });
    await nothingIsLeft();
  });

  test("a page that never rests is told as it is; one that never answers ends the browser", async () => {
    const site = await rig.site({
      "/slow": "<title>Slow</title><img src=/never>",
      "/spin": "<button id=b onclick='for (;;);'>b</button>",
      "/never": () => {},
    });
    const context = rig.context({ grants: rig.at(site) });

    const slow = await rig.call(
      "navigate",
      { url: `${site.origin}/slow`, timeoutMs: 1000 },
      context,
    );
    await rig.call("navigate", { url: `${site.origin}/spin` }, context);
    const spinning = rig.call("click", { selector: "#b", timeoutMs: 500 }, context);

    expect(slow).toMatchObject({ title: "Slow", loaded: false });
    await expect(spinning).rejects.toMatchObject({ code: "ETIMEDOUT" });
    expect([browsers(), rig.sockets()]).toEqual([[], []]);
  });

  test("a browser that is killed in the middle of a call is said; the next call has a new one", async () => {
    const site = await rig.site({ "/": "here", "/never": () => {} });
    const context = rig.context({ grants: rig.at(site) });
    const call = rig.fresh({ idleMs: 100 });
    await call("navigate", { url: `${site.origin}/` }, context);

    const hanging = call("navigate", { url: `${site.origin}/never` }, context);
    await vi.waitFor(() => expect(site.paths()).toContain("GET /never"), 120_000);
    killAll(browsers());

    await expect(hanging).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringContaining("the browser has ended"),
      hint: expect.stringContaining("starts a new one"),
    });
    expect([browsers(), rig.sockets()]).toEqual([[], []]);
    expect(await call("navigate", { url: `${site.origin}/` }, context)).toMatchObject({
      loaded: true,
    });
    await nothingIsLeft();
  });

  test("a call that is stopped takes the browser with it", async () => {
    const site = await rig.site({ "/never": () => {} });
    const stop = new AbortController();
    const context = rig.context({ grants: rig.at(site), signal: stop.signal });

    const hanging = rig.call("navigate", { url: `${site.origin}/never` }, context);
    await vi.waitFor(() => expect(site.paths()).toContain("GET /never"), 120_000);
    stop.abort(new SysError("EACCES", "the grant was revoked"));

    await expect(hanging).rejects.toThrow("the grant was revoked");
    expect([browsers(), rig.sockets()]).toEqual([[], []]);
  });

  test("a page that takes all memory ends the browser by name, and not us", async () => {
    const site = await rig.site({
      "/": `<button id=b onclick="const all = []; for (;;) all.push(new Uint8Array(50e6).fill(1))">b</button>`,
    });
    const context = rig.context({ grants: rig.at(site) });
    const call = rig.fresh({ idleMs: 100 });
    await call("navigate", { url: `${site.origin}/` }, context);

    const eating = call("click", { selector: "#b" }, context);

    await expect(eating).rejects.toThrow(/memory: more than 1 GiB/);
    await nothingIsLeft();
  });

  test("calls of one tree come one after the other; a busy browser is not ended for another", async () => {
    let answer: (() => void) | undefined;
    const site = await rig.site({
      "/": "<title>First</title>",
      "/late": (response) => (answer = () => void response.end("<title>Late</title>")),
    });
    const context = rig.context({ grants: rig.at(site) });
    const call = rig.fresh({ idleMs: 100, most: 1 });

    const late = call("navigate", { url: `${site.origin}/late` }, context);
    const read = call("read", { as: "text" }, context);
    await vi.waitFor(() => expect(answer).toBeDefined(), 120_000);
    const another = call("navigate", { url: `${site.origin}/` }, rig.context());
    await expect(another).rejects.toMatchObject({ code: "EAGAIN" });
    answer!();

    expect(await late).toMatchObject({ url: `${site.origin}/late` });
    expect(await read).toMatchObject({ url: `${site.origin}/late` });
    await nothingIsLeft();
  });

  test("the browser that was called longest ago makes room for another", async () => {
    const site = await rig.site({ "/": "here" });
    const [first, second, third] = [1, 2, 3].map(() => rig.context({ grants: rig.at(site) }));
    const call = rig.fresh({ most: 2 });
    const open = (context = first!) => call("navigate", { url: `${site.origin}/` }, context);

    await open(first);
    await open(second);
    await open(third);

    expect(await call("read", {}, second!)).toMatchObject({ text: "here" });
    await expect(call("read", {}, first!)).rejects.toMatchObject({ code: "ESTATE" });
  });

  test("questions of a page are answered with no, and told", async () => {
    const site = await rig.site({
      "/": `<button id=b onclick="document.title = confirm('Sure?')">b</button>`,
    });
    const context = rig.context({ grants: rig.at(site) });
    await rig.call("navigate", { url: `${site.origin}/` }, context);

    const clicked = await rig.call("click", { selector: "#b" }, context);

    expect(clicked).toMatchObject({ title: "false", dialogs: ["confirm: Sure?"] });
  });
});
