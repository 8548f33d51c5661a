// Stdio servers in the real sandbox: what they see, what they say, how they end.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SysError } from "@aos/protocol";
import { deviceContextForTest } from "../helpers/drivers/device-context.ts";
import { fixture, folderForTest, rigFor, scope } from "./rig.ts";

describe("a server", () => {
  test("is started, and its tools are there under names of their own", async () => {
    const { provider, call } = await rigFor([fixture(folderForTest())]);
    const context = deviceContextForTest();

    const [report] = await provider.reports(scope);

    expect(report).toMatchObject({ state: "ready", protocol: "2025-11-25", restarts: 0 });
    expect(await call("mcp.one.say", { text: "hi" }, context)).toEqual({ text: "hi" });
    expect(await call("mcp.one.a~2fb", {}, context)).toEqual({ text: "a slash" });
    expect(context.held[0]).toContain("enforced");
  });

  test.each(["fragile", "chatty"])("that is %s is spoken to all the same", async (manner) => {
    const { call } = await rigFor([fixture(folderForTest(), {}, manner)]);

    const said = await call("mcp.one.say", { text: "hi" }, deviceContextForTest());

    expect(said).toEqual({ text: "hi" });
  });

  test("that is not there is left out, and said", async () => {
    const folder = folderForTest();
    const other = fixture(folder, { name: "other", command: ["no-such-program"] });
    const { provider, call } = await rigFor([other, fixture(folder)]);

    const reports = await provider.reports(scope);

    expect(reports[0]).toMatchObject({ state: "failed", tools: [] });
    expect(reports[0]!.detail).toContain("no-such-program");
    expect(await call("mcp.one.say", { text: "hi" }, deviceContextForTest())).toBeDefined();
  });

  test("whose declaration is gone is ended, and its tools with it", async () => {
    const { provider, declare } = await rigFor([fixture(folderForTest())]);

    declare();

    expect(provider.tools(scope)).toEqual([]);
    expect(await provider.reports(scope)).toEqual([]);
  });

  test("that lists a name twice offers nothing", async () => {
    const folder = folderForTest();
    writeFileSync(join(folder, "twice"), "");
    const { provider } = await rigFor([fixture(folder)]);

    const [report] = await provider.reports(scope);

    expect(provider.tools(scope)).toEqual([]);
    expect(report!.detail).toContain("twice");
  });

  test("is tested step by step", async () => {
    const { provider } = await rigFor([fixture(folderForTest())]);

    const report = await provider.test(scope, "one");

    expect(report.steps.map(({ step, ok }) => [step, ok])).toEqual([
      ["start", true],
      ["negotiate", true],
      ["list tools", true],
      ["schema check", false],
      ["pins", true],
    ]);
    expect(report.steps[3]!.detail).toContain("https://a.example/schema");
  });
});

describe("what a server sees", () => {
  const look = async (path: string, more = {}) => {
    const folder = folderForTest();
    const { call } = await rigFor([fixture(folder, more)]);
    return call("mcp.one.look", { path }, deviceContextForTest());
  };

  test("is what was declared", async () => {
    const folder = folderForTest();
    writeFileSync(join(folder, "secret"), "42");

    await expect(look(join(folder, "secret"))).rejects.toMatchObject({ code: "EUPSTREAM" });
    await expect(look("/etc/shadow")).rejects.toMatchObject({ code: "EUPSTREAM" });
  });

  test("is no environment of ours", async () => {
    const folder = folderForTest();
    process.env["AOS_TEST_SECRET"] = "tell-nobody";
    onTestFinished(() => void delete process.env["AOS_TEST_SECRET"]);
    const { call } = await rigFor([fixture(folder, { env: { GREETING: { text: "hello" } } })]);

    const { text } = (await call("mcp.one.environment", {}, deviceContextForTest())) as {
      text: string;
    };

    expect(text).not.toContain("tell-nobody");
    expect(JSON.parse(text)).toMatchObject({ GREETING: "hello" });
  });

  test("is no network", async () => {
    const web = createServer().listen(0, "127.0.0.1");
    await once(web, "listening");
    onTestFinished(() => void web.close());
    const { port } = web.address() as { port: number };
    const { call } = await rigFor([fixture(folderForTest())]);

    const { text } = (await call("mcp.one.reach", { port }, deviceContextForTest())) as {
      text: string;
    };

    expect(text).not.toBe("reached");
  });

  test("of the network is what was declared, through the proxy, and a call needs it too", async () => {
    const web = createServer((_request, response) => response.writeHead(204).end());
    web.listen(0, "127.0.0.1");
    await once(web, "listening");
    onTestFinished(() => void web.close());
    const { port } = web.address() as { port: number };
    const online = fixture(folderForTest(), {
      hosts: [`127.0.0.1:${port}`],
      env: { NODE_USE_ENV_PROXY: { text: "1" }, NO_PROXY: { text: "" } },
    });
    const { call, tool } = await rigFor([online]);
    const context = deviceContextForTest();
    const get = (url: string) => call("mcp.one.get", { url }, context);

    expect(await get(`http://127.0.0.1:${port}/`)).toEqual({ text: "204" });
    expect(await get(`http://127.0.0.1:${port === 80 ? 81 : 80}/`)).toEqual({ text: "403" });
    expect(tool("mcp.one.get").touches({}, { workspace: { isCow: false } })).toEqual([
      { kind: "http", resource: `127.0.0.1:${port}/`, verb: "post" },
    ]);
    expect(tool("mcp.one.get").sinks?.({}, { workspace: { isCow: false } })).toContain("egress");
  });

  test("is never where the daemon keeps its own things, nor what holds them", async () => {
    const own = folderForTest();
    mkdirSync(join(own, "home"));
    const folder = folderForTest();
    const paths = (path: string) => ({ paths: [{ path, mode: "read" as const }] });
    for (const path of [join(own, "home"), own, "/", "/proc/self", "/etc"]) {
      const { provider } = await rigFor([fixture(folder, paths(path))], {
        private: [join(own, "home")],
      });
      const [report] = await provider.reports(scope);
      expect(report).toMatchObject({
        state: "failed",
        detail: `an MCP server may not read ${path}`,
      });
    }
  });

  test("ends at the project that brought it, whatever links are in it", async () => {
    const project = folderForTest();
    symlinkSync("/usr", join(project, "link"));
    const folder = folderForTest();
    const outside = { within: project, paths: [{ path: join(project, "link"), mode: "read" }] };
    const { provider } = await rigFor([fixture(folder, outside as never)]);

    const [report] = await provider.reports(scope);

    expect(report).toMatchObject({
      state: "failed",
      detail: expect.stringContaining("an MCP server may not read"),
    });
  });

  test("of what rules agents is read only", async () => {
    const folder = folderForTest();
    mkdirSync(join(folder, ".agents"));
    const { call } = await rigFor([fixture(folder)]);
    const context = deviceContextForTest();

    const writing = call("mcp.one.write", { path: join(folder, ".agents", "mcp.yaml") }, context);

    await expect(writing).rejects.toMatchObject({ code: "EUPSTREAM" });
    await call("mcp.one.write", { path: join(folder, "a") }, context);
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("written");
    expect(context.marked).toContain(folder);
  });
});

describe("a secret", () => {
  const withSecret = (folder: string) => fixture(folder, { env: { TOKEN: { secret: "TOKEN" } } });

  test("is put into the environment in the name of a call, and without one nothing starts", async () => {
    const folder = folderForTest();
    const { provider, call, tool } = await rigFor([withSecret(folder)]);
    const context = deviceContextForTest({ secrets: () => "s3cret" });

    expect(provider.tools(scope).map(({ name }) => name)).toEqual(["mcp.one"]);
    expect((await provider.reports(scope))[0]).toMatchObject({ state: "stopped" });
    expect(tool("mcp.one").touches({}, { workspace: { isCow: false } })).toEqual([
      { kind: "secret", resource: "TOKEN", verb: "use" },
    ]);
    await call("mcp.one", {}, context);
    const { text } = (await call("mcp.one.environment", {}, context)) as { text: string };

    expect(JSON.parse(text)).toMatchObject({ TOKEN: "s3cret" });
    expect(context.places).toEqual([{ kind: "variable", tool: "mcp.one", variable: "TOKEN" }]);
  });

  test("that the process may not use does not start the server", async () => {
    const { call } = await rigFor([withSecret(folderForTest())]);

    await expect(call("mcp.one", {}, deviceContextForTest())).rejects.toMatchObject({
      code: "EACCES",
    });
  });

  test("is not needed to know the tools that were agreed to", async () => {
    const folder = folderForTest();
    const { call, pins } = await rigFor([withSecret(folder)]);
    await call("mcp.one", {}, deviceContextForTest({ secrets: () => "x" }));

    const later = await rigFor([withSecret(folder)], { pins });

    expect(later.provider.tools(scope).map(({ name }) => name)).toContain("mcp.one.say");
  });
});

describe("a call", () => {
  test("whose arguments do not fit, or whose schema cannot be checked, is refused", async () => {
    const { tool } = await rigFor([fixture(folderForTest())]);

    expect(tool("mcp.one.say").refuses?.({ text: 1 })).toBeDefined();
    expect(tool("mcp.one.say").refuses?.({ text: "x".repeat(21) })).toBeDefined();
    expect(tool("mcp.one.say").refuses?.({ text: "x" })).toBeUndefined();
    expect(tool("mcp.one.outside").refuses?.({})).toContain("cannot be checked");
  });

  test("that fails over there is a result that says so; one that is refused is a failure", async () => {
    const { call } = await rigFor([fixture(folderForTest())]);
    const context = deviceContextForTest();

    expect(await call("mcp.one.fail", {}, context)).toEqual({
      isError: true,
      text: "it went wrong",
    });
    await expect(call("mcp.one.refuse", {}, context)).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: "the MCP server one says: no such thing",
    });
  });

  test("that its server dies of is EUPSTREAM at once, and the server comes back", async () => {
    const { provider, call } = await rigFor([fixture(folderForTest())]);
    const context = deviceContextForTest();

    await expect(call("mcp.one.die", {}, context)).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringContaining("exit code 3"),
    });
    expect(await call("mcp.one.say", { text: "hi" }, context)).toEqual({ text: "hi" });
    expect((await provider.reports(scope))[0]).toMatchObject({ state: "ready", restarts: 1 });
  });

  test("that floods ends its server and nothing else", async () => {
    const { call } = await rigFor([fixture(folderForTest())]);
    const context = deviceContextForTest();

    await expect(call("mcp.one.flood", {}, context)).rejects.toMatchObject({
      code: "EUPSTREAM",
      message: expect.stringContaining("a line of its output"),
    });
    expect(await call("mcp.one.say", { text: "hi" }, context)).toEqual({ text: "hi" });
  });

  test("that is stopped is cancelled over there", async () => {
    const folder = folderForTest();
    const { call } = await rigFor([fixture(folder)]);
    const stop = new AbortController();
    const calling = call("mcp.one.wait", {}, deviceContextForTest({ signal: stop.signal }));
    calling.catch(() => {});
    await vi.waitFor(() => expect(existsSync(join(folder, "waiting"))).toBe(true), 120_000);

    stop.abort(new SysError("EINTR", "killed"));

    await expect(calling).rejects.toMatchObject({ code: "EINTR" });
    await vi.waitFor(() => expect(existsSync(join(folder, "cancelled"))).toBe(true), 120_000);
  });

  test("lives as long as there is progress, and is given up in silence", async () => {
    const folder = folderForTest();
    writeFileSync(join(folder, "patience"), "");
    const { call } = await rigFor([fixture(folder)], { times: { callIdleMs: 600 } });
    const context = deviceContextForTest();

    expect(await call("mcp.one.wait", {}, context)).toEqual({ text: "late" });
    await expect(call("mcp.one.silent", {}, context)).rejects.toMatchObject({ code: "ETIMEDOUT" });
  });

  test("waits for a server that is not there, and then is EUPSTREAM", async () => {
    const folder = folderForTest();
    const { call, pins } = await rigFor([fixture(folder)]);
    expect(await call("mcp.one.say", { text: "hi" }, deviceContextForTest())).toBeDefined();
    const broken = fixture(folder, { command: ["false"] });

    const later = await rigFor([broken], { pins, times: { waitMs: 500 } });

    await expect(
      later.call("mcp.one.say", { text: "hi" }, deviceContextForTest()),
    ).rejects.toMatchObject({ code: "EUPSTREAM" });
  });

  test("starts a server again that nobody used for a while", async () => {
    const { provider, call } = await rigFor([fixture(folderForTest())], { times: { unusedMs: 1 } });
    await vi.waitFor(
      async () => expect((await provider.reports(scope))[0]).toMatchObject({ state: "stopped" }),
      120_000,
    );

    const said = await call("mcp.one.say", { text: "hi" }, deviceContextForTest());

    expect(said).toEqual({ text: "hi" });
  });
});
