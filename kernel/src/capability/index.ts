// Capabilities: the power of a process, as text and as a chain of blocks, and the decision about a request. Reading
// order: kinds, pattern, grammar, block, obstacle, chain, holdings; then cover. kernel/src/token has the
// tokens that travel.

export {
  attenuateBlock,
  type CapabilityBlock,
  bytesLeft,
  charge,
  type CapabilityCharge,
  holdMoney,
  isWithin,
  lacksMoney,
  linkBlock,
  revokeBlock,
  settleCharges,
  usesLeft,
} from "./block.ts";
export { type BlockState, blockState, usedBlock } from "./block-state.ts";
export { ceilingAbove, ceilingBlock, confinementBy } from "./ceiling.ts";
export { isCoveredBy } from "./chain.ts";
export { capabilitiesFor, cover } from "./cover.ts";
export { CapabilityError } from "./error.ts";
export { type Capability, formatCapability, parseCapability } from "./grammar.ts";
export { heldPatterns } from "./held-patterns.ts";
export { decideAny, Holdings, newHandle, type RefusedAccess } from "./holdings.ts";
export type { CapabilityKind } from "./kinds.ts";
