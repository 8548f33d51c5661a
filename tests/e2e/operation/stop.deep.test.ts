// A daemon that is stopped in the middle of its work: nothing is lost, and nothing is done twice.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { createRig, type Rig } from "./rig.ts";
import { daemonPid } from "../home.ts";

const AGENTS = 50;
const STEPS = 3;
const SLOW = { timeout: 120_000, interval: 50 };

let rig: Rig;
afterEach(() => rig.home.remove());

/** Takes steps, and keeps those of the second round waiting until it is told to answer. */
async function startOutside() {
  const done: string[] = [];
  const held: ServerResponse[] = [];
  let isHolding = true;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      done.push(body);
      if (isHolding && body.endsWith("step 2")) held.push(response);
      else response.end("noted");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return {
    done,
    held,
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    release() {
      isHolding = false;
      for (const response of held) response.end("noted");
    },
  };
}

function addWalker(host: string): void {
  const send = (step: number) =>
    `{ tool: http.send, args: { url: "http://${host}/", method: post, text: "{{input}} step ${step}" } }`;
  const turns = Array.from({ length: STEPS }, (_, n) => `  - call: [${send(n + 1)}]\n`).join("");
  rig.agent("walker", {
    turns: `${turns}  - say: "{{input}} is there"\n`,
    tools: "[http.send]",
    capabilities: ["tool:http.send:call", `http:${host}/**:post`],
  });
}

test("fifty agents in the middle of a step: down lets it end, up goes on, every step is made once", async () => {
  rig = createRig();
  const outside = await startOutside();
  addWalker(outside.host);
  rig.config(`drain: 10m\n${rig.policyOfCapabilities()}`);
  await rig.home.aos("up", "-d");
  const { url } = await rig.client.status();
  const names = Array.from({ length: AGENTS }, (_, n) => `agent ${n}`);
  const pids = await Promise.all(
    names.map(async (input) => (await rig.client.spawn({ agent: "walker", input })).pid),
  );
  await vi.waitFor(() => expect(outside.held).toHaveLength(AGENTS), SLOW);

  const down = rig.home.aos("down");
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(503), SLOW);
  const refused = rig.client.spawn({ agent: "walker", input: "too late" });
  await expect(refused).rejects.toMatchObject({ code: "ESHUTDOWN" });
  const before = daemonPid(rig.home.folder);
  outside.release();
  expect((await down).code).toBe(0);
  expect(outside.done).toHaveLength(AGENTS * 2);

  await rig.home.aos("up", "-d");
  const endings = await Promise.all(pids.map((pid) => rig.client.wait({ pid })));

  expect(daemonPid(rig.home.folder)).not.toBe(before);
  expect(endings.map(({ output }) => output)).toEqual(names.map((name) => `${name} is there`));
  const steps = names.flatMap((name) => [1, 2, 3].map((n) => `${name} step ${n}`));
  expect(outside.done.toSorted()).toEqual(steps.toSorted());
  const { findings } = await rig.client.verify();
  expect(findings).toEqual([]);
});

test("what does not end in time is cut off and named in the log; the daemon ends", async () => {
  rig = createRig();
  const outside = await startOutside();
  addWalker(outside.host);
  rig.config(`drain: 50ms\n${rig.policyOfCapabilities()}`);
  const child = rig.home.start("up");
  let log = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (log += text));
  await vi.waitFor(() => expect(log).toContain('"ready"'), SLOW);
  const { pid } = await rig.client.spawn({ agent: "walker", input: "one" });
  await vi.waitFor(() => expect(outside.held).toHaveLength(1), SLOW);

  child.kill("SIGTERM");
  const [code] = (await once(child, "close")) as [number];
  outside.release();

  expect(code).toBe(0);
  const cut = log.split("\n").find((line) => line.includes("did not end in time"))!;
  expect(JSON.parse(cut)).toMatchObject({ cut: [{ pid, call: "exec", of: "http.send" }] });
});

test("up -d where it is up changes nothing; a second daemon on the same home says who holds it", async () => {
  rig = createRig();
  await rig.home.aos("up", "-d");
  const { daemon, url } = await rig.client.status();

  const detached = await rig.home.aos("up", "-d", "-o", "json");
  const changed = await rig.home.aos("up", "-d", "--http", "off", "-o", "json");
  const second = await rig.home.aos("up");

  expect(detached.code).toBe(0);
  expect(detached.json()).toMatchObject({ pid: daemon.pid });
  expect(changed.error()).toMatchObject({ code: "ESTATE" });
  expect(second.code).toBe(1);
  for (const part of [`daemon ${daemon.pid} `, daemon.startedAt, url!])
    expect(second.stderr).toContain(part);
});
