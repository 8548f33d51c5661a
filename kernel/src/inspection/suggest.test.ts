import { describe, expect, test } from "vitest";
import { formatCapability, parseCapability } from "../capability/grammar.ts";
import { lessThan, suggest, type CapabilityUse, type SuggestOptions } from "./suggest.ts";

function use(resource: string, verb = "read", more: Partial<CapabilityUse> = {}): CapabilityUse {
  return { run: "r1", kind: "file", resource, verb, count: 1, ...more };
}

function call(resource: string, more: Partial<CapabilityUse> = {}): CapabilityUse {
  return use(resource, "call", { kind: "tool", ...more });
}

function lines(uses: readonly CapabilityUse[], options: SuggestOptions = {}): readonly string[] {
  return suggest(uses, options).capabilities.map(formatCapability);
}

const grants = (...texts: string[]) => texts.map(parseCapability);

describe("one line for each resource", () => {
  test("with the verbs that were used, by kind and name", () => {
    const memory = use("/m", "read", { kind: "memory" });

    expect(lines([memory, call("b"), use("/b"), use("/a", "write"), use("/a"), call("a")])).toEqual(
      [
        "file:/a:read,write{max:2}",
        "file:/b:read{max:1}",
        "tool:a:call{max:1}",
        "tool:b:call{max:1}",
        "memory:/m:read{max:1}",
      ],
    );
  });

  test("the limits are the most of any one run", () => {
    const uses = [
      call("a", { count: 3, usd: 0.5, bytes: 10 }),
      call("a", { count: 2, usd: 0.25, bytes: 1 }),
      call("a", { run: "r2", count: 4, usd: 0.1, bytes: 20 }),
    ];

    expect(lines(uses)).toEqual(["tool:a:call{max:5,usd:0.75,bytes:20}"]);
  });

  test("one byte is counted", () => {
    expect(lines([call("a", { bytes: 1 })])).toEqual(["tool:a:call{max:1,bytes:1}"]);
  });

  test("of uses that moved nothing, or cost nothing, none is counted", () => {
    const uses = [call("a", { bytes: 7 }), call("a", { usd: 0.5 }), call("a", { reservedUsd: 1 })];

    expect(lines(uses)).toEqual(["tool:a:call{max:3,usd:1.5,bytes:7}"]);
  });

  test("money leaves room for the dearest reservation", () => {
    const uses = [
      call("a", { usd: 0.1, reservedUsd: 0.4 }),
      call("a", { usd: 0.1000001, reservedUsd: 0.3 }),
    ];

    expect(lines(uses)).toEqual(["tool:a:call{max:2,usd:0.600001}"]);
  });

  test("what was not done is not suggested", () => {
    expect(lines([call("a", { count: 0 })])).toEqual([]);
  });

  test("what no capability can be about is beyond", () => {
    const odd = [use("/a/../b"), use("/a", "burn"), { ...use("/a"), kind: "spell" }];

    expect(suggest([...odd, use("/a")])).toMatchObject({ capabilities: [{}], beyond: odd });
  });
});

describe("a folder, where asked for", () => {
  const files = (count: number, verb = "read") =>
    Array.from({ length: count }, (_, i) => use(`/w/d/${i}`, verb));

  test("stands for five or more of its files, and for none that lie deeper", () => {
    expect(lines(files(5))).toHaveLength(5);
    expect(lines(files(4), { widen: "folder" })).toHaveLength(4);
    expect(lines(files(5), { widen: "folder" })).toEqual(["file:/w/d/*:read{max:5}"]);
    expect(lines(files(2), { widen: "folder", siblings: 2 })).toEqual(["file:/w/d/*:read{max:2}"]);
  });

  test("the same file five times is one file", () => {
    const same = Array.from({ length: 5 }, () => use("/w/d/1"));

    expect(lines(same, { widen: "folder" })).toEqual(["file:/w/d/1:read{max:5}"]);
  });

  test("only for the verbs of which there are that many", () => {
    expect(lines([...files(5), use("/w/d/1", "write")], { widen: "folder" })).toEqual([
      "file:/w/d/*:read{max:5}",
      "file:/w/d/1:write{max:1}",
    ]);
    expect(lines([...files(5), ...files(6, "write")], { widen: "folder" })).toEqual([
      "file:/w/d/*:read,write{max:11}",
    ]);
  });

  test("paths of one host and port become a folder, and files at the root do not", () => {
    const get = (resource: string) => use(resource, "get", { kind: "http" });
    const uses = [
      "https://a.com/v1/1",
      "https://a.com/v1/2",
      "http://a.com/v1/3",
      "https://a.com/",
    ];
    const options: SuggestOptions = { widen: "folder", siblings: 2 };

    expect(lines(uses.map(get), options)).toEqual([
      "http:a.com:443/:get{max:1}",
      "http:a.com:443/v1/*:get{max:2}",
      "http:a.com:80/v1/3:get{max:1}",
    ]);
    expect(lines([use("/a"), use("/b")], options)).toEqual(["file:/*:read{max:2}"]);
    expect(lines([call("a.x"), call("a.y")], options)).toHaveLength(2);
  });

  test("a root lies in no folder", () => {
    const roots = [use("/", "list"), use("/a", "list")];

    expect(lines(roots, { widen: "folder", siblings: 2 })).toEqual([
      "file:/:list{max:1}",
      "file:/a:list{max:1}",
    ]);
  });

  test("is never wider than the grant (SUGGEST-3)", () => {
    const uses = [use("/w/d/a1"), use("/w/d/a2")];
    const by = (grant: string) =>
      lines(uses, { widen: "folder", siblings: 2, present: grants(grant) });

    expect(by("file:/w/**:read")).toEqual(["file:/w/d/*:read{max:2}"]);
    expect(by("file:/w/d/*:read")).toEqual(["file:/w/d/*:read{max:2}"]);
    expect(by("file:/w/d/a*:read")).toHaveLength(2);
    expect(by("file:/**/a*:read")).toHaveLength(2);
  });
});

describe("a line is not wider than the grant it came from (SUGGEST-3)", () => {
  test("it keeps the grant's pins, rate, timeout, expiry and hold, and the smaller limits", () => {
    const kept = 'timeout:5s,expires:1h,usd:0.1,bytes:5,hold:use,args:pinned,pin.to:"ada"';
    const [grant] = [`tool:*:call{rate:3/min,max:2,${kept}}`];

    expect(
      lines([call("pay", { count: 2, usd: 0.5, bytes: 9 })], { present: grants(grant as string) }),
    ).toEqual([`tool:pay:call{rate:3/min,max:2,${kept}}`]);
    expect(lines([call("pay")], { present: grants("tool:*:call{max:9,usd:1,bytes:1}") })).toEqual([
      "tool:pay:call{max:1}",
    ]);
  });

  test("what no grant allows is beyond", () => {
    const uses = [call("pay"), use("/a"), use("/b", "write")];

    const present = grants("tool:*:call", "memory:/**:*", "file:/**:read");
    const suggestion = suggest(uses, { present });

    expect(suggestion.capabilities.map(formatCapability)).toEqual([
      "file:/a:read{max:1}",
      "tool:pay:call{max:1}",
    ]);
    expect(suggestion.beyond).toEqual([use("/b", "write")]);
  });

  test("of several grants a free one with enough uses is taken, and otherwise all", () => {
    const pin = 'tool:pay:call{pin.to:"ada"}';
    const narrowed = 'tool:pay:call{max:1,pin.to:"ada"}';

    expect(lines([call("pay")], { present: grants(pin, "tool:*:call") })).toEqual([
      "tool:pay:call{max:1}",
    ]);
    expect(lines([call("pay")], { present: grants(pin, "tool:*:call{max:1}") })).toEqual([
      "tool:pay:call{max:1}",
    ]);
    expect(lines([call("pay")], { present: grants(pin) })).toEqual([narrowed]);
    const three = [call("pay", { count: 3 })];
    expect(lines(three, { present: grants(pin, "tool:*:call{max:2}") })).toEqual([
      "tool:pay:call{max:2}",
      'tool:pay:call{max:3,pin.to:"ada"}',
    ]);
  });

  test("where it is known which grant it was, that one is taken", () => {
    const pin = 'tool:pay:call{pin.to:"ada"}';

    expect(lines([call("pay", { by: pin })], { present: grants("tool:*:call", pin) })).toEqual([
      'tool:pay:call{max:1,pin.to:"ada"}',
    ]);
  });

  test("two grants that become the same line stay two, each with its uses (SUGGEST-1)", () => {
    const present = ["tool:*:call", "tool:pay:call"];
    const uses = present.map((by) => call("pay", { by }));

    expect(lines(uses, { present: grants(...present) })).toEqual([
      "tool:pay:call{max:1}",
      "tool:pay:call{max:1}",
    ]);
  });

  test("a limit that several lines now have each is named (SUGGEST-4)", () => {
    const split = (...texts: string[]) =>
      suggest([call("a"), call("b"), use("/a")], { present: grants(...texts) }).split;

    expect(split("tool:*:call{rate:3/min}", "file:/**:read{max:9}")).toEqual([
      "tool:*:call{rate:3/min}",
    ]);
    expect(split("tool:*:call{timeout:1s}", "file:/**:read")).toEqual([]);
    expect(split("tool:*:call{usd:1}").concat(split("tool:*:call{bytes:1}"))).toHaveLength(2);
    expect(split("tool:*:call{max:2}")).toHaveLength(1);
  });
});

test("grants that nothing used are listed", () => {
  const present = grants(
    "tool:a:call",
    "tool:b:call",
    "file:/w/**:read",
    "file:/w/**:write",
    "tool:*:call",
  );
  const uses = [call("a", { by: "tool:a:call" }), use("/w/x"), use("/a/../b")];

  expect(lessThan(present, suggest(uses))).toEqual([
    "tool:b:call",
    "file:/w/**:write",
    "tool:*:call",
  ]);
});
