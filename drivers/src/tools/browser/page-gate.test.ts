import { expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { PageGate, PageCall } from "./page-gate.ts";

const touch = (resource: string, verb = "get") => ({ kind: "http", resource, verb });

function doorOf(isOnline: boolean, grants?: () => boolean) {
  const context = deviceContextForTest({
    ...(grants && { grants }),
    granted: () => [{ pattern: "a.example/**", verbs: ["*"] }],
    secrets: () => "value",
  });
  const gate = new PageGate();
  const call = new PageCall(context, isOnline);
  gate.open(call);
  call.expect("a.example:443/");
  return { gate, call, context, proxy: gate.contextOf(context) };
}

test("PAGE-GATE-1: only a call that may send lets anything out, and only while it runs", () => {
  const { gate, proxy, context } = doorOf(true);
  const looking = doorOf(false);

  proxy.authorize(touch("a.example:443/x"));
  gate.close();

  expect(() => proxy.authorize(touch("a.example:443/x"))).toThrow("only during navigate");
  expect(proxy.permits(touch("a.example:443/x"))).toBe(false);
  expect(() => looking.proxy.authorize(touch("a.example:443/x"))).toThrow("only during navigate");
  expect(looking.proxy.permits(touch("a.example:443/x"))).toBe(false);
  expect(context.asked).toEqual([touch("a.example:443/x")]);
  expect(looking.context.asked).toEqual([]);
});

test("PAGE-GATE-2, PAGE-GATE-3: it has no whole grants, and no secret", () => {
  const { proxy } = doorOf(true);

  expect(proxy.granted("http")).toEqual([]);
  const place = { kind: "header", origin: "https://a.example", header: "authorization" } as const;
  expect(() => proxy.secret("KEY", place)).toThrow("only during navigate");
});

test("PAGE-GATE-4: what no page asked for is refused without asking; a name's address is asked about", () => {
  const { proxy, context, call } = doorOf(true);

  expect(() => proxy.authorize(touch("other.example:443/x"))).toThrow("only during navigate");
  expect(() => proxy.authorize(touch("10.0.0.1:443/x"))).toThrow("only during navigate");
  proxy.authorize(touch("a.example:443/x"));
  proxy.authorize(touch("10.0.0.1:443/x"));

  expect(context.asked.map(({ resource }) => resource)).toEqual([
    "a.example:443/x",
    "10.0.0.1:443/x",
  ]);
  expect(call.refused).toEqual([]);
});

test("refusals are kept, each once and not without end", () => {
  const { call } = doorOf(true, () => false);

  for (let n = 0; n < 100; n += 1) {
    expect(() => call.authorize(touch(`a.example:443/${n % 60}`))).toThrow("no capability");
  }

  expect(call.refused).toHaveLength(50);
  expect(call.refused[0]).toEqual({ resource: "a.example:443/0", verb: "get", code: "EACCES" });
  expect(call.refusalAt(":443/7")).toMatchObject({ code: "EACCES" });
  expect(call.refusalAt(":80/7")).toBeUndefined();
});

test("a page that was asked about with the call is not asked about again, and the next one is", () => {
  const context = deviceContextForTest();
  const call = new PageCall(context, true, "a.example:443/");

  call.authorizePage("a.example:443/");
  expect(context.asked).toEqual([]);
  call.authorizePage("a.example:443/");

  expect(context.asked).toEqual([
    { kind: "browser", resource: "a.example:443/", verb: "navigate" },
  ]);
});
