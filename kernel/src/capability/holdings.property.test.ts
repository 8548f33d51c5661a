import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import { attenuateBlock, type CapabilityBlock, charge } from "./block.ts";
import { decideChain } from "../refusal/explain.ts";
import { parseCapability } from "./grammar.ts";
import { decideAny, type Holding, Holdings } from "./holdings.ts";
import type { AccessRequest } from "./obstacle.ts";

const DEPTH = inject("isDeep") ? 5 : 1;

const TOOLS = ["a", "b", "c"];
const TEXTS = ["tool:*:call", "tool:a:call", "tool:b,c:call"];

/** A line and, when it counts, its limit. */
const line = fc.record({
  text: fc.constantFrom(...TEXTS),
  max: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  hold: fc.constantFrom("", "hold:use", "hold:grant"),
});
const lines = fc.array(line, { minLength: 1, maxLength: 3 });
type Line = typeof line extends fc.Arbitrary<infer T> ? T : never;

function capabilities(of: readonly Line[]) {
  return of.map(({ text, max, hold }) => {
    const constraints = [max === undefined ? "" : `max:${max}`, hold].filter((one) => one !== "");
    return parseCapability(constraints.length === 0 ? text : `${text}{${constraints.join(",")}}`);
  });
}

let count = 0;
const unique = (prefix: string): string => `${prefix}${(count += 1)}`;

function mint() {
  const id = unique("b");
  return { id, holder: id, mintedAt: 0 };
}

function hold(block: CapabilityBlock): Holding {
  return { handle: unique("h"), block };
}

/** What a random run does: a process is made, granted to, or uses something. */
const step = fc.oneof(
  fc.record({ do: fc.constant("spawn" as const), from: fc.nat(), caps: lines }),
  fc.record({ do: fc.constant("grant" as const), from: fc.nat(), to: fc.nat(), caps: lines }),
  fc.record({
    do: fc.constant("use" as const),
    from: fc.nat(),
    tool: fc.constantFrom(...TOOLS),
    chain: fc.option(fc.nat(), { nil: undefined }),
  }),
);

const of = <T>(list: readonly T[], i: number): T => list[i % list.length] as T;

test("no way of spawning and granting makes a limit larger or a power wider (attacks E3, E4, E6)", () => {
  fc.assert(
    fc.property(
      fc.array(lines, { minLength: 1, maxLength: 2 }),
      fc.array(step, { maxLength: 40 }),
      (roots, steps) => {
        const processes = roots.map(
          (caps) => new Holdings(hold(attenuateBlock(null, capabilities(caps), mint()))),
        );
        for (const one of steps) {
          const holdings = of(processes, one.from);
          if (one.do === "use") use(holdings, one.tool, one.chain);
          else if (one.do === "grant") {
            const { block } = of([...holdings], one.to);
            if (block.depth > 20 || of(processes, one.to).size > 5) continue;
            of(processes, one.to).add(hold(attenuateBlock(block, capabilities(one.caps), mint())));
          } else if (holdings.birth.block.depth < 20) {
            const { block } = holdings.birth;
            processes.push(
              new Holdings(hold(attenuateBlock(block, capabilities(one.caps), mint()))),
            );
          }
        }
      },
    ),
    { numRuns: 120 * DEPTH },
  );

  /** A use is allowed only if every block above allows it, and no count passes what was written. */
  function use(holdings: Holdings, tool: string, chain: number | undefined): void {
    const request: AccessRequest = { kind: "tool", resource: tool, verb: "call" };
    const handle = chain === undefined ? undefined : of([...holdings], chain).handle;
    const decision = decideAny(holdings, request, 0, handle);
    const isPossible = [...holdings].some(
      (one) => (handle ?? one.handle) === one.handle && decideChain(one.block, request, 0).allow,
    );
    expect(decision.allow).toBe(isPossible);
    if (!decision.allow) return;
    charge(decision.charges, 0);
    const { block: top } = decision.via;
    for (let block: CapabilityBlock | null = top; block !== null; block = block.parent) {
      const role = block.holder === top.holder ? "use" : "grant";
      const speaks = block.caps.some(
        ({ pattern, constraints }) =>
          ["*", tool].some((name) => pattern.text.split(",").includes(name)) &&
          [undefined, role].includes(constraints.hold),
      );
      expect(speaks).toBe(true);
      for (const { capability, usage } of block.held) {
        expect(usage.uses).toBeLessThanOrEqual(capability.constraints.max ?? Infinity);
      }
    }
  }
});
