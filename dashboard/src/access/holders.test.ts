import type { PowerReport } from "@aos/protocol/words";
import { describe, expect, test } from "vitest";
import { holdersOf } from "./holders.ts";

const block = (holder: string, ...texts: string[]) => ({
  block: `${holder}.0`,
  holder,
  revoked: false,
  expiresAt: null,
  capabilities: texts.map((text) => ({ text, uses: 0 })),
});

const power = (state: "held" | "revoked"): PowerReport =>
  ({
    pid: "agt_2",
    agent: "child",
    holdings: [
      {
        state,
        by: "agt_1",
        chain: [block("agt_1", "http:**:get"), block("agt_2", "http:a.example/**:get")],
      },
    ],
  }) as never;

const agents = [
  { name: "reader", description: "", models: [], tools: [], capabilities: ["file:/work/**:read"] },
];

describe("who may do something", () => {
  test("is found by words of the last block of a chain (HOLDERS-1)", () => {
    expect(holdersOf({ agents, powers: [power("held")], what: "A.example" })).toEqual([
      {
        agent: "child",
        pid: "agt_2",
        text: "http:a.example/**:get",
        through: "given by agt_1 → agt_1",
      },
    ]);
  });

  test("is nobody through a chain that was revoked", () => {
    expect(holdersOf({ agents, powers: [power("revoked")], what: "http" })).toEqual([]);
  });

  test("is an agent by its manifest, whether or not it runs", () => {
    expect(holdersOf({ agents, powers: [], what: "/work" })).toMatchObject([
      { agent: "reader", pid: null },
    ]);
  });
});
