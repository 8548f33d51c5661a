import { expect, test } from "vitest";
import { attenuateBlock, type CapabilityBlock } from "./block.ts";
import { blockState, restoreBlock, usedBlock } from "./block-state.ts";
import { parseCapability } from "./grammar.ts";

const GRANT = { capabilities: ["tool:pay:call{max:3}", "file:/a:read"], mintedAt: 5, holder: "h" };

function kept(mint: object = {}, parent: CapabilityBlock | null = null) {
  const caps = GRANT.capabilities.map(parseCapability);
  const block = attenuateBlock(parent, caps, { id: "b", mintedAt: 5, holder: "h", ...mint });
  block.held[0]!.usage.uses = 2;
  return blockState(block);
}

test("BLOCK-STATE-1: what an always answer was for survives a restart", () => {
  const state = kept({ standing: "egress", runs: "sha256:1" });

  expect(state).toMatchObject({ runs: "sha256:1" });
  expect(restoreBlock(state, null)).toMatchObject({ standing: "egress", runs: "sha256:1" });
  expect(kept()).not.toHaveProperty("runs");
});

test("BLOCK-STATE-3: what was used is the state's, and everything else is the grant's", () => {
  const forged = { holder: "mallory", mintedAt: 9, expiresAt: 99, standing: "all", runs: "x" };

  const plain = usedBlock(GRANT, { ...kept(), ...forged, trusted: false }, null);
  expect(plain).toMatchObject({ id: "b", holder: "h", mintedAt: 5, trusted: true });
  expect(plain).toMatchObject({ expiresAt: undefined, standing: undefined, runs: undefined });
  expect(plain.held[0]!.usage.uses).toBe(2);

  const said = { ...GRANT, expiresAt: 7, trusted: false, standing: "egress", runs: "sha256:1" };
  expect(usedBlock(said, { ...kept(), ...forged }, null)).toMatchObject({
    expiresAt: 7,
    trusted: false,
    standing: "egress",
    runs: "sha256:1",
  });
});

test("BLOCK-STATE-3: a state that names other capabilities is not believed", () => {
  const state = kept();
  const [pay, read] = state.caps;
  const wider = { ...pay!, text: "tool:*:call" };

  for (const caps of [[], [pay!], [pay!, read!, wider], [wider, read!], [read!, pay!]])
    expect(() => usedBlock(GRANT, { ...state, caps }, null)).toThrow("other capabilities");
});

test("BLOCK-STATE-3: it hangs below the parent that its state names", () => {
  const parent = attenuateBlock(null, [], { id: "p", mintedAt: 0 });
  const state = kept({}, parent);

  expect(usedBlock(GRANT, state, parent).parent).toBe(parent);
  expect(() => usedBlock(GRANT, state, null)).toThrow("hangs below p, not null");
});
