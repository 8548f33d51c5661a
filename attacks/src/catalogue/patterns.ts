// C: patterns and grammar. The attacker exploits the text of a grant.

import type { Json } from "@aos/protocol";
import type { Range } from "../range.ts";
import { codeOf, tried, type AttackRow, type AttackOutcome } from "./row.ts";

const HOST = "kernel/src/capability/host-pattern.ts";
const CONSTRAINTS = "kernel/src/capability/constraints.ts";
const UNITS = "kernel/src/capability/units.ts";
const PATH = "kernel/src/capability/path-pattern.ts";
const OBSTACLE = "kernel/src/capability/obstacle.ts";

/** Holds one grant, and touches something that it does not cover. */
const reach =
  (grant: string, [kind, resource, verb]: readonly [string, string, string]) =>
  async (range: Range): Promise<AttackOutcome> => {
    await range.run(async (sys) => codeOf(sys.exec("range.touch", { kind, resource, verb })), {
      capabilities: ["tool:range.touch:call", grant],
    });
    return tried(range.did("range.touch") > 0, `${grant} for ${verb} on ${kind} ${resource}`);
  };

/** An operator registers a malformed grant. If it is accepted, it is power. */
const talkInto =
  (...grants: string[]) =>
  async (range: Range): Promise<AttackOutcome> => {
    for (const grant of grants)
      await codeOf(
        range.run(async (sys) => codeOf(sys.exec("range.pay", { grant })), {
          capabilities: [grant],
        }),
      );
    const taken = range.runs.map(({ args }) => JSON.stringify(args));
    return tried(taken.length > 0, `taken: ${taken.join(", ") || "none"}`);
  };

/** Holds a pin, and calls with other arguments. */
const slip =
  (constraints: string, ...calls: Json[]) =>
  async (range: Range): Promise<AttackOutcome> => {
    await range.run(
      async (sys) => {
        for (const args of calls) await codeOf(sys.exec("range.set", args));
      },
      { capabilities: [`tool:range.set:call${constraints}`] },
    );
    const taken = range.runs.map(({ args }) => JSON.stringify(args));
    return tried(taken.length > 0, `ran with: ${taken.join(", ") || "nothing"}`);
  };

export const patterns: readonly AttackRow[] = [
  {
    id: "C1",
    name: "reach the domain itself with a grant for its subdomains",
    stoppedBy: HOST,
    run: reach("http:*.good.test:get", ["http", "good.test:443/", "get"]),
  },
  {
    id: "C2",
    name: "reach evilgood.test with a grant for *.good.test",
    stoppedBy: HOST,
    run: reach("http:*.good.test:get", ["http", "evilgood.test:443/", "get"]),
  },
  {
    id: "C3",
    name: "reach good.test.evil.test with a grant for good.test",
    stoppedBy: HOST,
    run: reach("http:good.test:get", ["http", "good.test.evil.test:443/", "get"]),
  },
  {
    id: "C4",
    name: "reach a private address with a grant for every host",
    stoppedBy: HOST,
    run: reach("http:*:get", ["http", "10.0.0.1:443/", "get"]),
  },
  {
    id: "C5",
    name: "reach the metadata address with a grant for every host",
    stoppedBy: HOST,
    run: reach("http:*:get", ["http", "169.254.169.254:80/latest/meta-data", "get"]),
  },
  {
    id: "C6",
    name: "reach an IPv6 address with a grant for every host",
    stoppedBy: HOST,
    run: reach("http:*:get", ["http", "[::1]:443/", "get"]),
  },
  {
    id: "C7",
    name: "reach a port that the grant does not name",
    stoppedBy: HOST,
    run: reach("http:good.test:get", ["http", "good.test:22/", "get"]),
  },
  {
    id: "C8",
    name: "reach one path segment deeper than `*` covers",
    stoppedBy: PATH,
    run: reach("http:good.test/v1/*:get", ["http", "good.test:443/v1/a/b", "get"]),
  },
  {
    id: "C9",
    name: "leave the granted path with an encoded slash",
    stoppedBy: HOST,
    run: reach("http:good.test/v1/**:get", ["http", "good.test:443/v1/..%2fadmin", "get"]),
  },
  {
    id: "C10",
    name: "post with a grant for get",
    stoppedBy: OBSTACLE,
    run: reach("http:good.test:get,head", ["http", "good.test:443/", "post"]),
  },
  {
    id: "C11",
    name: "use a tool whose name begins like the granted ones",
    stoppedBy: "kernel/src/capability/pattern.ts",
    run: reach("secret:MAIL:use", ["secret", "MAIL_ADMIN", "use"]),
  },
  {
    id: "C12",
    name: "call a tool with a grant only for what it touches",
    stoppedBy: "kernel/src/syscall/action.ts",
    run: async (range) => {
      const touch = { kind: "file", resource: "/work/a", verb: "read" };
      await range.run(async (sys) => codeOf(sys.exec("range.touch", touch)), {
        capabilities: ["file:/work/**:read"],
      });
      return tried(range.did("range.touch") > 0, "the tool itself was not granted");
    },
  },
  {
    id: "C13",
    name: "register a grant with a misspelled constraint",
    stoppedBy: CONSTRAINTS,
    run: talkInto("tool:range.pay:call{maximum:1}"),
  },
  {
    id: "C14",
    name: "register a grant with a second, larger limit of the same name",
    stoppedBy: CONSTRAINTS,
    run: talkInto("tool:range.pay:call{max:1,max:1000}"),
  },
  {
    id: "C15",
    name: "register a grant with an invalid number: -1, 0x10, 1e9",
    stoppedBy: UNITS,
    run: talkInto(...["-1", "0x10", "1e9"].map((max) => `tool:range.pay:call{max:${max}}`)),
  },
  {
    id: "C16",
    name: "register a grant with a constraint named like a property of Object.prototype",
    stoppedBy: CONSTRAINTS,
    run: talkInto("tool:range.pay:call{__proto__:1}", "tool:range.pay:call{constructor:1}"),
  },
  {
    id: "C17",
    name: "register a pattern with so many stars that matching never ends",
    stoppedBy: PATH,
    run: talkInto("tool:*r*a*n*g*e*.*p*a*y*:call"),
  },
  {
    id: "C18",
    name: "call with another value than the pinned one",
    stoppedBy: OBSTACLE,
    run: slip('{pin.to:"alice"}', { to: "bob" }, { to: "Alice" }, { to: "alice " }),
  },
  {
    id: "C19",
    name: "call without the pinned argument, or with a list instead",
    stoppedBy: OBSTACLE,
    run: slip('{pin.to:"alice"}', {}, { to: ["alice"] }, { to: { to: "alice" } }, null),
  },
  {
    id: "C20",
    name: "call with a number where a text is pinned, or the reverse",
    stoppedBy: OBSTACLE,
    run: slip("{pin.amount:5}", { amount: "5" }, { amount: 5.5 }, { amount: true }),
  },
  {
    id: "C21",
    name: "add an argument under `args:pinned`",
    stoppedBy: OBSTACLE,
    run: slip('{args:pinned,pin.to:"alice"}', { to: "alice", cc: "bob" }),
  },
];
