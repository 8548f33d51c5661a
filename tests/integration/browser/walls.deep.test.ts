// Walls: what a page cannot reach, and what it is told.

import { lookup } from "node:dns/promises";
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { rangeOf } from "@aos/drivers/parts";
import { noChromium, useBrowser } from "./browser-rig.ts";

const LINK = (url: string, more = "") => `<a id=go href="${url}" ${more}>go</a>`;

/** The name of this machine, where it leads to an address that is not public. */
const own = await lookup(hostname()).then(
  ({ address }) => (rangeOf(address) === undefined ? undefined : hostname().toLowerCase()),
  () => undefined,
);

describe.skipIf(noChromium)("the walls of a browser (chromium)", () => {
  const rig = useBrowser();

  test("a page of a host without a grant is refused, and the host hears nothing", async () => {
    const [ours, other] = [await rig.site({ "/": "ours" }), await rig.site({ "/": "other" })];
    const context = rig.context({ grants: rig.at(ours) });
    const onlyPage = rig.context({ grants: ({ kind }) => kind === "browser" });

    const byGate = rig.call("navigate", { url: `${other.origin}/` }, context);
    await expect(byGate).rejects.toMatchObject({ code: "EACCES" });
    const byHttp = rig.call("navigate", { url: `${other.origin}/` }, onlyPage);
    await expect(byHttp).rejects.toThrow(`get on ${other.host}/`);

    expect(other.got).toEqual([]);
    await expect(rig.call("read", {}, onlyPage)).rejects.toMatchObject({ code: "ESTATE" });
  });

  test("what a page loads from elsewhere is blocked in it and listed", async () => {
    const other = await rig.site({ "/in.html": "inner" });
    const ours = await rig.site({
      "/": `<img src="${other.origin}/a.png" onerror="document.title='blocked'"><iframe src="${other.origin}/in.html"></iframe>
        <script>fetch("${other.origin}/b", { method: "POST", body: "stolen" }).catch((error) => (document.body.append(String(error))))</script>`,
    });
    const context = rig.context({ grants: rig.at(ours) });

    const opened = await rig.call("navigate", { url: `${ours.origin}/` }, context);

    expect(opened).toMatchObject({ title: "blocked", status: 200 });
    expect(opened["refused"]).toEqual(
      expect.arrayContaining([
        { resource: `${other.host}/a.png`, verb: "get", code: "EACCES" },
        { resource: `${other.host}/in.html`, verb: "get", code: "EACCES" },
        { resource: `${other.host}/b`, verb: "post", code: "EACCES" },
      ]),
    );
    expect(other.got).toEqual([]);
    expect(await rig.call("read", {}, context)).toMatchObject({
      text: expect.stringContaining("Failed to fetch"),
    });
  });

  test("workers and sockets of a page have no other way out", async () => {
    const other = await rig.site({});
    const script =
      (path: string): Parameters<typeof rig.site>[0][string] =>
      (response) =>
        response
          .writeHead(200, { "content-type": "text/javascript" })
          .end(`fetch("/own${path}"); fetch("${other.origin}${path}", { mode: "no-cors" })`);
    const ours = await rig.site({
      "/": `<script>new Worker("/worker.js"); navigator.serviceWorker.register("/service.js");
        new WebSocket("ws://${other.host}/socket"); navigator.sendBeacon("${other.origin}/beacon", "x");
        new RTCPeerConnection({ iceServers: [{ urls: "stun:${other.host}" }] }).createDataChannel("x")</script>`,
      "/worker.js": script("/worker"),
      "/service.js": script("/service"),
    });
    const context = rig.context({ grants: rig.at(ours) });

    const opened = await rig.call("navigate", { url: `${ours.origin}/` }, context);

    expect(ours.paths()).toEqual(
      expect.arrayContaining(["GET /own/worker", "GET /service.js", "GET /own/service"]),
    );
    const refused = (opened["refused"] as { resource: string }[]).map(({ resource }) => resource);
    expect(refused).toEqual(
      expect.arrayContaining([
        `${other.host}/worker`,
        `${other.host}/service`,
        `${other.host}/beacon`,
      ]),
    );
    expect(other.got).toEqual([]);
  });

  test("a page cannot tell a request that was refused from one that was blocked", async () => {
    const ours = await rig.site({
      "/": `<script>fetch("/closed").then(({ status }) => (document.title = status), (error) => (document.title = error.name))</script>`,
    });
    const context = rig.context({ grants: ({ resource }) => resource === `${ours.host}/` });

    const opened = await rig.call("navigate", { url: `${ours.origin}/` }, context);

    expect(opened).toMatchObject({ title: "TypeError" });
    expect(ours.paths()).toEqual(["GET /"]);
  });

  test("the proxy refuses what the browser lets pass", async () => {
    const other = await rig.site({ "/x": "other" });
    const ours = await rig.site({ "/": `<script src="${other.origin}/x"></script>` });
    const grants = rig.at(ours);
    // The browser is told that everything is allowed: the gate is asked by the proxy alone.
    const context = { ...rig.context({ grants }), permits: () => true };

    const opened = await rig.call("navigate", { url: `${ours.origin}/` }, context);

    expect(opened["refused"]).toEqual([
      { resource: `${other.host}/x`, verb: "get", code: "EACCES" },
    ]);
    expect(other.got).toEqual([]);
  });

  test("a redirect to the metadata address is refused, and so is one to a page without a grant", async () => {
    const other = await rig.site({ "/": "other" });
    const ours = await rig.site({
      "/meta": (response) =>
        response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end(),
      "/away": (response) => response.writeHead(302, { location: `${other.origin}/` }).end(),
    });
    const isOurs = rig.at(ours);
    const context = rig.context({ grants: isOurs });
    // May fetch there, and may not show it as a page.
    const fetcher = rig.context({ grants: (touch) => touch.kind === "http" || isOurs(touch) });

    await expect(
      rig.call("navigate", { url: `${ours.origin}/meta` }, context),
    ).rejects.toMatchObject({
      code: "EACCES",
      message: expect.stringContaining("169.254.169.254"),
    });
    await expect(rig.call("navigate", { url: `${ours.origin}/away` }, fetcher)).rejects.toThrow(
      `navigate on ${other.host}/`,
    );
    expect(other.got).toEqual([]);
  });

  test.skipIf(own === undefined)(
    "a name that leads to an address that is not granted is refused as a page (the machine's own name)",
    async () => {
      const port = (await rig.site({})).host.split(":")[1];
      const context = rig.context({ grants: ({ resource }) => resource.startsWith(`${own!}:`) });

      const opened = rig.call("navigate", { url: `http://${own!}:${port}/x` }, context);

      await expect(opened).rejects.toMatchObject({
        code: "EACCES",
        message: expect.stringMatching(/get on [\d.:a-f[\]]+:\d+\/x/),
      });
    },
  );

  test("a click that leads to a page without a grant goes nowhere, and says so", async () => {
    const other = await rig.site({ "/": "other" });
    const ours = await rig.site({ "/": LINK(`${other.origin}/`) });
    const isOurs = rig.at(ours);
    const context = rig.context({ grants: (touch) => touch.kind === "http" || isOurs(touch) });
    await rig.call("navigate", { url: `${ours.origin}/` }, context);

    const clicked = await rig.call("click", { selector: "#go" }, context);

    expect(clicked).toMatchObject({
      url: `${ours.origin}/`,
      refused: [{ resource: `${other.host}/`, verb: "navigate", code: "EACCES" }],
    });
    expect(other.got).toEqual([]);
  });

  test("a popup to a page without a grant is closed; one with a grant is the page from then on", async () => {
    const other = await rig.site({ "/": "other" });
    const ours = await rig.site({
      "/": `${LINK(`${other.origin}/`, "target=_blank")}<button id=open onclick="window.open('/new')">open</button>
        <button id=many onclick="for (let i = 0; i < 20; i++) window.open('${other.origin}/' + i)">many</button>`,
      "/new": `<title>New</title><button id=shut onclick="window.close()">shut</button><button id=open onclick="window.open('/new')">open</button>`,
    });
    const isOurs = rig.at(ours);
    const context = rig.context({ grants: (touch) => touch.kind === "http" || isOurs(touch) });
    await rig.call("navigate", { url: `${ours.origin}/` }, context);

    const refused = await rig.call("click", { selector: "#go" }, context);
    const many = await rig.call("click", { selector: "#many" }, context);
    const opened = await rig.call("click", { selector: "#open" }, context);
    const shut = await rig.call("click", { selector: "#shut" }, context);

    expect(refused).toMatchObject({
      url: `${ours.origin}/`,
      refused: [{ resource: `${other.host}/`, verb: "navigate", code: "EACCES" }],
    });
    expect(many).toMatchObject({ url: `${ours.origin}/` });
    expect(other.got).toEqual([]);
    expect(opened).toMatchObject({ url: `${ours.origin}/new`, title: "New" });
    expect(shut).toMatchObject({ url: `${ours.origin}/` });
  });

  test("of windows beyond a few nothing comes", async () => {
    const ours = await rig.site({
      "/": `<button id=open onclick="window.open('/?' + Math.random())">open</button>`,
    });
    const context = rig.context({ grants: rig.at(ours) });
    const shown = () => ours.paths().filter((path) => path.startsWith("GET /?")).length;
    await rig.call("navigate", { url: `${ours.origin}/` }, context);

    for (let n = 0; n < 7; n += 1) await rig.call("click", { selector: "#open" }, context);

    expect(shown()).toBe(4);
  });

  test("between calls, and while it is only looked at, a page reaches nothing", async () => {
    const ours = await rig.site({
      "/": `<script>setInterval(() => fetch("/tick"), 20)</script><button id=b>b</button>`,
      "/tick": "",
    });
    const context = rig.context({ grants: rig.at(ours) });
    // The page never comes to rest, so that each takes its whole time; on a slow machine it may not be enough.
    while (ours.got.length < 2)
      await rig.call("navigate", { url: `${ours.origin}/`, timeoutMs: 1000 }, context);
    await rig.call("read", {}, context);
    // What was sent before may still be on its way.
    let before = -1;
    while (before !== ours.got.length) {
      before = ours.got.length;
      await delay(1000);
    }
    const asked = context.asked.filter(({ kind }) => kind === "http").length;

    await delay(300);
    await rig.call("read", {}, context);
    await rig.call("screenshot", {}, context);

    expect(before).toBeGreaterThan(1);
    expect(ours.got.length).toBe(before);
    expect(context.asked.filter(({ kind }) => kind === "http").length).toBe(asked);
  });

  test("what the browser would send of its own accord is not sent, whatever is granted", async () => {
    const ours = await rig.site({ "/": "<form><input name=email><input type=password></form>" });
    const context = rig.context();

    await rig.call("navigate", { url: `${ours.origin}/` }, context);
    await rig.call("fill", { selector: "[name=email]", value: "a@b.example" }, context);

    const hosts = context.asked.map(({ resource }) => resource.split("/")[0]);
    expect([...new Set(hosts)]).toEqual([ours.host]);
  });

  test("files, the browser's own pages and downloads are refused", async () => {
    const ours = await rig.site({
      "/": `<button id=b onclick="location='file:///etc/passwd'">b</button>${LINK("/file")}`,
      "/file": (response) =>
        response.writeHead(200, { "content-disposition": "attachment; filename=a" }).end("bytes"),
    });
    const context = rig.context({ grants: rig.at(ours) });
    const open = (url: string) => rig.call("navigate", { url }, context);

    await expect(open("file:///etc/passwd")).rejects.toMatchObject({ code: "EINVAL" });
    await expect(open("chrome://version")).rejects.toMatchObject({ code: "EINVAL" });
    await expect(open("data:text/html,x")).rejects.toMatchObject({ code: "EINVAL" });
    await expect(open(`${ours.origin}/file`)).rejects.toThrow("download");
    await open(`${ours.origin}/`);
    const clicked = await rig.call("click", { selector: "#b" }, context);

    const loaded = await rig.call("click", { selector: "#go" }, context);

    expect(clicked).toMatchObject({ url: `${ours.origin}/` });
    expect(loaded).toMatchObject({
      url: `${ours.origin}/`,
      refusedDownloads: [`${ours.origin}/file`],
    });
  });

  test("a page is read, clicked, filled and pictured only with the right for it", async () => {
    const ours = await rig.site({ "/": "<input id=i>text" });
    const context = rig.context({
      grants: ({ kind, verb }) => kind === "http" || verb === "navigate",
    });
    await rig.call("navigate", { url: `${ours.origin}/` }, context);

    for (const [name, args] of [
      ["read", {}],
      ["screenshot", {}],
      ["click", { selector: "#i" }],
      ["fill", { selector: "#i", value: "x" }],
    ] as const)
      await expect(rig.call(name, args, context)).rejects.toThrow(`${name} on ${ours.host}/`);
  });
});
