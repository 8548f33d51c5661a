import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { SysError, type Touch } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { deviceContextForTest } from "../../../tests/helpers/drivers/device-context.ts";
import { CallRegistry } from "./call-registry.ts";
import { egressFetch } from "./egress-fetch.ts";

const patience = { pause: () => {}, resume: () => {} };

/** Every name leads to a public address, and every address to one server here. */
async function web(headers = {}) {
  const asked: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    response.end("hello");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const registry = new CallRegistry();
  const fetch = egressFetch(
    {
      kind: "http",
      name: "one",
      declaredIn: "a test",
      isOperators: true,
      deny: [],
      effects: {},
      trustsAnnotations: false,
      trustsDescriptions: false,
      url: "http://a.example/mcp",
      hosts: ["b.example:80"],
      headers,
    },
    registry,
    { resolve: async () => ["8.8.8.8"], dial: () => connect(port, "127.0.0.1") },
  );
  return { asked, registry, fetch };
}

test("EGRESS-FETCH-1: in a call the process is asked for at every request; outside of one the declaration is enough", async () => {
  const { asked, registry, fetch } = await web();
  const touches: Touch[] = [];
  const grants = (touch: Touch) => touches.push(touch) < 2;
  const context = deviceContextForTest({ grants });

  await fetch("http://a.example/mcp");
  await registry.run(context, patience, async () => {
    await fetch("http://a.example/mcp", { method: "POST", body: "{}" });
    await expect(fetch("http://a.example/mcp")).rejects.toMatchObject({ code: "EACCES" });
  });

  expect(touches[0]).toEqual({ kind: "http", resource: "a.example:80/mcp", verb: "post" });
  expect(asked).toHaveLength(2);
});

test("EGRESS-FETCH-1: a host that nobody declared is not reached", async () => {
  const { asked, fetch } = await web();

  await expect(fetch("http://c.example/")).rejects.toBeInstanceOf(SysError);
  await expect(fetch("http://b.example:81/")).rejects.toBeInstanceOf(SysError);

  expect(asked).toEqual([]);
});

test("EGRESS-FETCH-2: headers and secrets go to the server's own origin, and secrets in calls only", async () => {
  const { asked, registry, fetch } = await web({
    "x-team": { text: "red" },
    "x-key": { secret: "KEY" },
  });
  const context = deviceContextForTest({ secrets: () => "s3cret" });

  await expect(fetch("http://a.example/mcp")).rejects.toMatchObject({ code: "EACCES" });
  await registry.run(context, patience, async () => {
    await fetch("http://a.example/mcp");
    await fetch("http://b.example/token");
  });

  expect(asked[0]).toMatchObject({ "x-team": "red", "x-key": "s3cret", host: "a.example" });
  expect(asked[1]).not.toHaveProperty("x-team");
  expect(asked[1]).not.toHaveProperty("x-key");
});

test("CALL-REGISTRY-2: when a call is over nothing is sent in its name", async () => {
  const { registry, fetch } = await web({ "x-key": { secret: "KEY" } });
  const later = Promise.withResolvers<void>();
  let sent: Promise<Response> | undefined;
  await registry.run(deviceContextForTest({ secrets: () => "s3cret" }), patience, async () => {
    sent = later.promise.then(() => fetch("http://a.example/mcp"));
  });

  later.resolve();

  await expect(sent).rejects.toMatchObject({ code: "EACCES" });
});
