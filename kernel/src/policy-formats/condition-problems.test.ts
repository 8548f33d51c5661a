import { describe, expect, test } from "vitest";
import { compileCondition } from "./conditions.ts";
import { PolicyError } from "../policy/problem.ts";
import { known } from "../../../tests/helpers/kernel/policy-subject.ts";

const load = (text: string) => compileCondition(text, known);

describe("CONDITIONS-2: a function that we do not have is found wherever it stands", () => {
  test.each([
    "!nope(agent)",
    "-nope(1) < 0",
    "[nope(1)] == [1]",
    '{"a": nope(1)} == {"a": 1}',
    '{nope("a"): 1} == {"a": 1}',
    "pinned ? nope(1) : true",
    "args[nope(1)] == 1",
    "nope(args)[0] == 1",
    "nope(args).a == 1",
    "size(nope(1)) == 1",
    'nope(agent).startsWith("a")',
    "agent.startsWith(nope(1))",
    "nope(paths).exists(p, p == agent)",
    "paths.exists(p, nope(p))",
    "paths.map(p, nope(p)).size() == 0",
    'nope(agent) in ["a"]',
    "agent in nope(1)",
    "1 == nope(1)",
    "pinned && nope(1)",
  ])("%s", (text) => {
    expect(() => load(text)).toThrow("nope is not available: no function is called nope");
  });

  test("a function that we have is no problem", () => {
    for (const text of [
      "!(-depth < 0)",
      'has(args.a) && size(agent) > 1 && double(args.a) > 0.5 && int("1") == 1',
      'agent.split(",").join("") == agent.trim().upperAscii().substring(0, 1)',
      'agent.indexOf("a") < agent.lastIndexOf("b") || agent.contains("c")',
      "paths.all(p, p.size() > 1) && paths.exists_one(q, q == agent)",
    ])
      expect(() => load(text)).not.toThrow();
  });
});

describe("names", () => {
  test.each(["toString", "constructor", "google", "p"])("%s is no variable", (name) => {
    const text = `paths.exists(p, p == agent) || ${name} == "x"`;

    expect(() => load(text)).toThrow(PolicyError);
    expect(() => load(text)).toThrow(`Unknown variable: ${name}`);
  });

  test.each(["string", "bool", "int", "double", "map", "list", "null_type", "type"])(
    "%s is the name of a type",
    (name) => {
      expect(() => load(`type(args.a) == ${name}`)).not.toThrow();
    },
  );

  test.each(["paths", "p"])("a loop's variable is not called %s when that is taken", (name) => {
    const text = `paths.exists(p, ["/a"].exists(${name}, pinned))`;

    expect(() => load(text)).toThrow(`"${name}" is something else already`);
  });

  test.each(["paths.exists(1, pinned)", "paths.exists()", "paths.map(1)"])(
    "%s is the library's to refuse",
    (text) => {
      expect(() => load(text)).toThrow(PolicyError);
    },
  );
});

describe("CONDITIONS-3: no loop over all that an agent sent runs once for each part of it", () => {
  test.each([
    "paths.exists(p, paths.exists(q, p == q))",
    "args.a.exists(x, x.b.exists(y, x.c.exists(z, y == z)))",
    "args.a.exists(x, x.b.exists(y, y in x.c))",
    "[args.a].exists(l, l.exists(x, l.exists(y, x == y)))",
    "args.a.exists(x, [args.b].exists(l, l.exists(y, x == y)))",
    "[args.a][0].exists(x, x.exists(y, y == 1))",
    "args.a.map(x, x.b).exists(y, y.exists(z, z == 1))",
    "args.a.map(x, x.b)[0].exists(y, y.exists(z, z == 1))",
    "args.a.exists(x, agent.split(x).exists(y, y == agent))",
    "paths.exists(p, p in paths)",
    "paths.exists(p, p in args.tags)",
  ])("%s is refused", (text) => {
    expect(() => load(text)).toThrow(/in a loop/);
  });

  test.each([
    "args.orders.exists(order, order.lines.exists(line, line.price > 100))",
    "args.orders.exists(order, order.lines[0].parts.exists(part, part == 1))",
    "args.a.exists(x, x.exists(y, y.exists(z, z == 1)))",
    'args.orders.exists(order, ["a", "b"].exists(key, order.lines.exists(line, line == key)))',
    'args.orders.exists(order, "a" in order.tags)',
    'paths.exists(p, "crm" in label.tags || "egress" in sinks || p in ["/a"])',
    "paths.filter(p, p.size() > 1).exists(q, [1, 2].exists(n, n == q.size()))",
    '"a" in args.tags',
    "agent in paths",
  ])("%s is fine", (text) => {
    expect(() => load(text)).not.toThrow();
  });
});

describe("CONDITIONS-4: words that nothing is ever equal to are refused", () => {
  test.each([
    ['effect in ["read", "reed"]', 'no effect is "reed"'],
    ['"reed" == effect', 'no effect is "reed"'],
    ['paths.exists(p, call == "raed")', 'no call is "raed"'],
    ['resources.exists(r, "flie" == r.kind)', 'no resource.kind is "flie"'],
    ['resources.exists(r, r.kind in ["file", "flie"])', 'no resource.kind is "flie"'],
    ['tool in ["crm.read", "crm.raed"]', 'no tool is "crm.raed"'],
    ["call == 5", "no such overload"],
  ])("%s", (text, message) => {
    expect(() => load(text)).toThrow(message);
  });

  test.each([
    'tool == "" || tool == "crm.read"',
    'effect in ["read", "external"] || call != "read"',
    '"egres" in paths || "egres" in label.tags || agent in sinks',
    'args.exists(r, r.kind == "flie")',
    'args.kind == "flie" || args.list.exists(r, r.kind == "flie")',
    'resources.exists(r, r.kind == "file" && r.resource == "flie")',
    '["x"].exists(r, r == "flie") || call < "raed"',
    "5 in [1, 2] || args.effect == 5",
    'call == agent || agent == effect || effect in [agent, tool] || agent == "nobody"',
  ])("%s is fine", (text) => {
    expect(() => load(text)).not.toThrow();
  });
});
