import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { type Json, SysError } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import type { HostRequestName } from "./host-protocol.ts";
import { runForTest } from "../../../tests/helpers/drivers/tool-run.ts";
import { type HostCall, ToolHost } from "./tool-host.ts";

const TOLD = { pid: "p", tenant: "t", tree: "p", key: "k", workspace: { isCow: false } };

function begin(times: { loadMs?: number; graceMs?: number } = {}) {
  const run = runForTest();
  const host = new ToolHost(run, { loadMs: 60_000, graceMs: 60_000, ...times });
  const call = (more: Partial<HostCall> = {}) =>
    host.call(
      "a.b",
      { x: 1 },
      {
        told: TOLD,
        signal: new AbortController().signal,
        timeoutMs: 60_000,
        serveRequest: async () => null,
        ...more,
      },
    );
  return { run, host, call };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn();
}

const failure = (call: Promise<Json>): Promise<SysError> =>
  call.then(
    () => expect.fail("it went well"),
    (error: unknown) => error as SysError,
  );

describe("a call", () => {
  test("is told to the host, and its answer is the result", async () => {
    const { run, call } = begin();
    const [first, second] = [call(), call()];
    await until(() => run.told.length === 2);

    run.says(2, "done", { ok: "second" });
    run.says(1, "done", { ok: null });

    expect(await Promise.all([first, second])).toEqual([null, "second"]);
    expect(run.told[0]).toEqual({
      say: "call",
      id: 1,
      tool: "a.b",
      args: { x: 1 },
      context: TOLD,
    });
  });

  test("fails with what it says; only with what a tool may say", async () => {
    const { run, call } = begin();
    const calls = [call(), call(), call()].map(failure);

    run.says(1, "done", { err: { code: "ENOENT", message: "no such city", hint: "try Bern" } });
    run.says(2, "done", { err: { code: "ESTORE", message: "the disk is gone" } });
    run.says(3, "done", { err: "?" });

    expect(await Promise.all(calls)).toMatchObject([
      { code: "ENOENT", message: "no such city", hint: "try Bern" },
      { code: "EUPSTREAM", message: "the disk is gone" },
      { code: "EUPSTREAM" },
    ]);
  });
});

describe("TOOL-HOST-1: what a call asks for", () => {
  const asking = (serveRequest: HostCall["serveRequest"]) => {
    const begun = begin();
    const result = begun.call({ serveRequest });
    return { ...begun, result };
  };

  test("is answered, or refused, by what was given for it", async () => {
    const asked: [HostRequestName, Json][] = [];
    const { run } = asking(async (what, args) => {
      asked.push([what, args]);
      if (what === "write") throw new SysError("EACCES", "not that");
      return "text";
    });

    run.says("1.1", "ask", { what: "read", args: { path: "/a" } });
    run.says("1.2", "ask", { what: "write", args: {} });
    await until(() => run.told.length === 3);

    expect(asked).toEqual([
      ["read", { path: "/a" }],
      ["write", {}],
    ]);
    expect(run.told.slice(1)).toEqual([
      { say: "reply", id: "1.1", ok: "text" },
      { say: "reply", id: "1.2", err: { code: "EACCES", message: "not that" } },
    ]);
  });

  test("is refused when the call is over, never was, or it is nothing that there is", async () => {
    let requestContext = 0;
    const { run, result } = asking(async () => ++requestContext);

    run.says("1.1", "ask", { what: "exec", args: {} });
    run.says("7.1", "ask", { what: "read", args: {} });
    run.says(1, "done", { ok: null });
    await result;
    run.says("1.2", "ask", { what: "read", args: {} });
    await until(() => run.told.length === 4);

    expect(requestContext).toBe(0);
    expect(run.told.slice(1)).toMatchObject([
      { id: "1.1", err: { code: "EINVAL" } },
      { id: "7.1", err: { code: "ESTATE" } },
      { id: "1.2", err: { code: "ESTATE" } },
    ]);
  });

  test("is limited in number", async () => {
    const { run, result } = asking(() => new Promise(() => {}));
    const failed = failure(result);

    for (let i = 0; i <= 256; i++) run.says(`1.${i}`, "ask", { what: "read", args: {} });

    expect((await failed).message).toMatch(/more than 256 concurrent requests/);
    expect(run.isKilled()).toBe(true);
  });
});

describe("TOOL-HOST-2: a call that is no longer wanted", () => {
  test("is told so, and fails with what the tool makes of it", async () => {
    const { run, call } = begin();
    const stop = new AbortController();
    const failed = failure(call({ signal: stop.signal }));

    stop.abort(new SysError("ETIMEDOUT", "too long"));
    await until(() => run.told.length === 2);
    run.says(1, "done", { err: { code: "EINTR", message: "stopped" } });

    expect(run.told[1]).toMatchObject({ say: "cancel", id: 1, reason: { code: "ETIMEDOUT" } });
    expect((await failed).code).toBe("EINTR");
    expect(run.isKilled()).toBe(false);
  });

  test("ends a host that holds on to it, and the other calls are told why", async () => {
    const { run, host, call } = begin({ graceMs: 1 });
    const other = failure(call());
    const failed = failure(
      call({ signal: AbortSignal.abort(new SysError("ETIMEDOUT", "too long")) }),
    );

    expect(await failed).toMatchObject({ code: "ETIMEDOUT", message: "too long" });
    expect((await other).message).toMatch(/a.b did not stop when it was cancelled/);
    expect(run.isKilled()).toBe(true);
    expect(host.callsUnderWay).toBe(0);
  });

  test("is one that takes longer than it may", async () => {
    const { call } = begin({ graceMs: 1 });

    expect(await failure(call({ timeoutMs: 1 }))).toMatchObject({
      code: "ETIMEDOUT",
      message: "a.b took longer than 1 ms",
    });
  });
});

describe("TOOL-HOST-3: when the host ends", () => {
  test.each<[string, Parameters<ReturnType<typeof runForTest>["ends"]>[0], RegExp]>([
    ["by itself", { code: 3 }, /exit code 3/],
    ["by a signal", { code: null, signal: "SIGSEGV" }, /SIGSEGV/],
    [
      "by a limit",
      { limit: { name: "memoryBytes", message: "memory: more than 512 MiB" } },
      /memory: more than 512 MiB/,
    ],
  ])("%s, calls fail with why", async (_how, how, why) => {
    const { run, host, call } = begin();
    const failed = failure(call());

    run.ends(how);

    expect(await failed).toMatchObject({ code: "EUPSTREAM", message: expect.stringMatching(why) });
    expect(await host.gone).toMatch(why);
    expect((await failure(call())).message).toMatch(why);
  });

  test("what it said last is part of why; what V8 says of its heap is put in words", async () => {
    const one = begin();
    one.run.complains("Error: oh no\n");
    const two = begin();
    two.run.complains("FATAL ERROR: Reached heap limit JavaScript heap out of memory\n");
    await delay(0);

    one.run.ends({ code: 1 });
    two.run.ends({ code: null, signal: "SIGABRT" });

    expect(await one.host.gone).toBe("it ended with exit code 1: Error: oh no");
    expect(await two.host.gone).toBe("memory: its heap has more than 256 MiB");
  });

  test("a tool that only speaks of memory goes on", async () => {
    const { run, call } = begin();
    const result = call();
    run.complains("heap out of memory\n");
    await delay(0);

    run.says(1, "done", { ok: 1 });

    expect(await result).toBe(1);
  });
});

describe("loading", () => {
  test("gives what the host describes", async () => {
    const { run, host } = begin();
    const loading = host.load({ "file:///a.ts": "text" }, ["file:///a.ts"]);

    run.says(0, "described", { tools: [{ name: "a.b" }], flaws: [{ file: "f", what: "w" }] });

    expect(await loading).toEqual({
      tools: [{ name: "a.b" }],
      flaws: [{ file: "f", what: "w" }],
    });
    expect(run.told).toEqual([
      { say: "load", files: { "file:///a.ts": "text" }, main: ["file:///a.ts"] },
    ]);
  });

  test("that takes too long, or crashes, fails and names the file", async () => {
    const slow = begin({ loadMs: 20 });
    const crashing = begin();
    const loading = [slow, crashing].map(({ run, host }) => {
      run.says(0, "loading", { file: "file:///p/slow.ts" });
      return host.load({}, []).catch((error: unknown) => (error as SysError).message);
    });
    await delay(0);
    crashing.run.ends({ code: 9 });

    expect(await loading[0]).toMatch(/slow.ts took longer than 20 ms to load/);
    expect(await loading[1]).toMatch(/slow.ts: it ended with exit code 9/);
  });

  test("with a description that is none ends the host", async () => {
    const { run, host } = begin();
    const loading = host.load({}, []);
    run.says(0, "described", { tools: "many" });

    await expect(loading).rejects.toThrow(/cannot be read/);
  });
});

describe("TOOL-HOST-4: a host is ended that", () => {
  test.each<[string, string, RegExp]>([
    ["prints what is no JSON", "hello\n", /is not the protocol/],
    ["nests without end", `${"[".repeat(5000)}\n`, /is not the protocol/],
    [
      "says what nobody knows",
      '{"jsonrpc":"2.0","id":1,"method":"exec","params":{}}\n',
      /unknown message/,
    ],
    [
      "asks without a name",
      '{"jsonrpc":"2.0","id":1,"method":"ask","params":{}}\n',
      /unknown message/,
    ],
    ["writes a line without end", "x".repeat(17 * 1024 * 1024), /more than \d+ bytes/],
  ])("%s", async (_what, text, why) => {
    const { run, host, call } = begin();
    const failed = failure(call());

    run.prints(text);

    expect((await failed).message).toMatch(why);
    expect(await host.gone).toMatch(why);
    expect(run.isKilled()).toBe(true);
  });

  test("does not read what it is told", async () => {
    const run = runForTest();
    (run.stdin as unknown as { pause(): void }).pause();
    const host = new ToolHost(run, { loadMs: 60_000, graceMs: 60_000 });
    const text = "x".repeat(20 * 1024 * 1024);
    const call = () =>
      failure(
        host.call("a.b", text, {
          told: TOLD,
          signal: new AbortController().signal,
          timeoutMs: 60_000,
          serveRequest: async () => null,
        }),
      );

    const calls = [call(), call(), call(), call(), call()];

    expect((await calls[0]!).message).toMatch(/does not read/);
    expect(run.isKilled()).toBe(true);
  });
});
