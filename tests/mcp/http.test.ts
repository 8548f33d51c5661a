// Servers over HTTP, through our egress: who is reached, with what, and in whose name.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { SysError } from "@aos/protocol";
import { deviceContextForTest } from "../helpers/drivers/device-context.ts";
import { overHttp, rigFor, scope } from "./rig.ts";

interface Asked {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
}

interface Web {
  readonly url: string;
  readonly port: number;
  readonly asked: Asked[];
  /** Answers in place of the protocol, when it gives true. */
  instead: (method: string, response: ServerResponse) => boolean;
}

/** A server of the newer revision: each request stands alone. */
async function web(): Promise<Web> {
  const asked: Asked[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id, method = "" } = JSON.parse(Buffer.concat(chunks).toString() || "{}") as {
      id?: number;
      method?: string;
    };
    asked.push({ method, headers: request.headers });
    if (made.instead(method, response)) return;
    response.setHeader("content-type", "application/json");
    const result = { resultType: "complete", ...answers[method] };
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const made: Web = {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    asked,
    instead: () => false,
  };
  return made;
}

const answers: Readonly<Record<string, object>> = {
  "server/discover": {
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: "private",
  },
  "tools/list": {
    tools: [{ name: "say", description: "Says.", inputSchema: { type: "object" } }],
    ttlMs: 0,
    cacheScope: "private",
  },
  "tools/call": { content: [{ type: "text", text: "said" }] },
};

test("the newer revision is spoken, and a call needs the server's address", async () => {
  const { url, port } = await web();
  const { provider, tool, call } = await rigFor([overHttp(url)]);
  const context = deviceContextForTest();

  const [report] = await provider.reports(scope);

  expect(report).toMatchObject({ state: "ready", protocol: "2026-07-28", transport: "http" });
  expect(tool("mcp.one.say").touches({}, { workspace: { isCow: false } })).toEqual([
    { kind: "http", resource: `127.0.0.1:${port}/mcp`, verb: "post" },
  ]);
  expect(tool("mcp.one.say").sinks?.({}, { workspace: { isCow: false } })).toEqual(["egress"]);
  expect(await call("mcp.one.say", {}, context)).toEqual({ text: "said" });
  expect(context.asked.length).toBeGreaterThan(0);
});

test("a grant that is gone by the time of the request stops it", async () => {
  const { url, asked } = await web();
  const { call } = await rigFor([overHttp(url)]);
  const before = asked.length;

  const calling = call("mcp.one.say", {}, deviceContextForTest({ grants: () => false }));

  await expect(calling).rejects.toMatchObject({ code: "EACCES" });
  expect(asked).toHaveLength(before);
});

describe("what is not public", () => {
  test.each(["127.0.0.1", "localhost"])(
    "is not reached by a project's server: %s",
    async (host) => {
      const { port, asked } = await web();
      const url = `http://${host}:${port}/mcp`;
      const { provider, call } = await rigFor([overHttp(url, { isOperators: false })]);

      const [report] = await provider.reports(scope);
      const calling = call("mcp.one", {}, deviceContextForTest());

      await expect(calling).rejects.toThrow(/may not reach/);
      expect(report).toMatchObject({ state: "stopped", tools: [] });
      expect(asked).toEqual([]);
    },
  );

  test("is not reached by way of another name, unless its address is declared too", async () => {
    const { port, asked } = await web();
    const url = `http://inside.example:${port}/mcp`;
    const egress = { resolve: async () => ["127.0.0.1"] };
    const closed = await rigFor([overHttp(url)], { egress });
    expect((await closed.provider.reports(scope))[0]).toMatchObject({ state: "failed" });
    expect(asked).toEqual([]);

    const open = await rigFor([overHttp(url, { hosts: [`127.0.0.1:${port}`] })], { egress });

    expect((await open.provider.reports(scope))[0]).toMatchObject({ state: "ready" });
  });
});

describe("a secret in a header", () => {
  const headers = { authorization: { secret: "TOKEN" }, "x-team": { text: "red" } };
  const context = () => deviceContextForTest({ secrets: () => "Bearer s3cret" });

  test("is sent in the name of a call, to the server's own origin", async () => {
    const { url, asked, port } = await web();
    const { call, provider } = await rigFor([overHttp(url, { headers })]);
    expect(provider.tools(scope).map(({ name }) => name)).toEqual(["mcp.one"]);
    expect(asked).toEqual([]);
    const caller = context();

    await call("mcp.one", {}, caller);
    await call("mcp.one.say", {}, caller);

    expect(new Set(asked.map((one) => one.headers.authorization))).toEqual(
      new Set(["Bearer s3cret"]),
    );
    expect(asked[0]!.headers["x-team"]).toBe("red");
    expect(caller.places[0]).toEqual({
      kind: "header",
      origin: `http://127.0.0.1:${port}`,
      header: "authorization",
    });
  });

  test("stays with the process that may use it", async () => {
    const { url, asked } = await web();
    const { call } = await rigFor([overHttp(url, { headers })]);
    await call("mcp.one", {}, context());
    const before = asked.length;

    const calling = call("mcp.one.say", {}, deviceContextForTest());

    await expect(calling).rejects.toMatchObject({ code: "EACCES" });
    expect(asked).toHaveLength(before);
  });

  test("does not follow a redirect to another place", async () => {
    const first = await web();
    const second = await web();
    const hosts = [`127.0.0.1:${second.port}`];
    const { call } = await rigFor([overHttp(first.url, { headers, hosts })]);
    await call("mcp.one", {}, context());
    first.instead = (_method, response) => {
      response.writeHead(307, { location: second.url }).end();
      return true;
    };

    await expect(call("mcp.one.say", {}, context())).rejects.toMatchObject({ code: "EUPSTREAM" });

    expect(second.asked).toEqual([]);
  });
});

describe("a sign-in", () => {
  const challenge = (response: ServerResponse) => {
    response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    return true;
  };

  test("waits for somebody: without a call nothing is asked, and the report says what to do", async () => {
    const real = createServer((request, response) => {
      response.setHeader("content-type", "application/json");
      if (request.url?.includes("oauth-protected-resource"))
        return response.end(
          JSON.stringify({ resource: `${origin()}/mcp`, authorization_servers: [origin()] }),
        );
      if (request.url?.includes("oauth-authorization-server"))
        return response.end(
          JSON.stringify({
            issuer: origin(),
            authorization_endpoint: `${origin()}/authorize`,
            token_endpoint: `${origin()}/token`,
            registration_endpoint: `${origin()}/register`,
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
          }),
        );
      if (request.url === "/register")
        return response
          .writeHead(201)
          .end(
            JSON.stringify({ client_id: "us", redirect_uris: ["http://localhost:8765/callback"] }),
          );
      return challenge(response);
    }).listen(0, "127.0.0.1");
    await once(real, "listening");
    onTestFinished(() => void real.close());
    const origin = () => `http://127.0.0.1:${(real.address() as { port: number }).port}`;
    const { provider, call } = await rigFor([overHttp(`${origin()}/mcp`)]);
    const texts: string[] = [];

    const [report] = await provider.reports(scope);
    const signingIn = call(
      "mcp.one",
      {},
      deviceContextForTest({
        answers: ({ text }) => {
          texts.push(text);
          return "http://localhost:8765/callback?code=x&state=forged";
        },
      }),
    );

    expect(report).toMatchObject({
      state: "failed",
      detail: expect.stringContaining("needs a sign-in"),
    });
    await expect(signingIn).rejects.toMatchObject({ message: expect.stringContaining("state") });
    expect(texts[0]).toContain(`${origin()}/authorize?`);
  });

  test("at a host that nobody declared is refused", async () => {
    const server = await web();
    server.instead = (_method, response) => {
      const resource_metadata = "https://evil.example/.well-known/oauth-protected-resource";
      response
        .writeHead(401, { "www-authenticate": `Bearer resource_metadata="${resource_metadata}"` })
        .end();
      return true;
    };
    const lookedUp: string[] = [];
    const resolve = async (host: string) => {
      lookedUp.push(host);
      return ["192.0.2.1"];
    };

    const { provider } = await rigFor([overHttp(server.url)], { egress: { resolve } });

    expect((await provider.reports(scope))[0]!.state).not.toBe("ready");
    expect(lookedUp).toEqual([]);
  });
});

test("a server that fails is connected to anew, and the call that met it is EUPSTREAM", async () => {
  const server = await web();
  const { call, provider } = await rigFor([overHttp(server.url)]);
  server.instead = (_method, response) => {
    response.destroy();
    return true;
  };

  await expect(call("mcp.one.say", {}, deviceContextForTest())).rejects.toMatchObject({
    code: "EUPSTREAM",
  });
  server.instead = () => false;

  expect(await call("mcp.one.say", {}, deviceContextForTest())).toEqual({ text: "said" });
  expect((await provider.reports(scope))[0]!.restarts).toBeGreaterThan(0);
});

test("an answer without end is cut off", async () => {
  const server = await web();
  const { call } = await rigFor([overHttp(server.url)]);
  server.instead = (method, response) => {
    if (method !== "tools/call") return false;
    response.writeHead(200, { "content-type": "application/json" });
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    const more = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
    return true;
  };

  const calling = call("mcp.one.say", {}, deviceContextForTest());

  await expect(calling).rejects.toMatchObject({
    code: "EUPSTREAM",
    message: expect.stringContaining("bytes"),
  });
});

test("a call that is stopped hangs up", async () => {
  const server = await web();
  const { call } = await rigFor([overHttp(server.url)]);
  const stop = new AbortController();
  const hungUp = Promise.withResolvers<void>();
  const called = Promise.withResolvers<void>();
  server.instead = (method, response) => {
    if (method !== "tools/call") return false;
    response.once("close", () => hungUp.resolve());
    called.resolve();
    return true;
  };
  const calling = call("mcp.one.say", {}, deviceContextForTest({ signal: stop.signal }));
  calling.catch(() => {});
  await called.promise;

  stop.abort(new SysError("EINTR", "killed"));

  await expect(calling).rejects.toMatchObject({ code: "EINTR" });
  await hungUp.promise;
});
