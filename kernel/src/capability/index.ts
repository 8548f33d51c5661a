// Capabilities: the power of a process, as text, as a chain of blocks, and the one question asked
// of it. DESIGN §5. Reading order: kinds, pattern, grammar, block, obstacle, chain.

export {
  attenuate,
  type Block,
  type BlockState,
  blockState,
  bytesLeft,
  charge,
  type Charge,
  type Mint,
  restoreBlock,
  revoke,
  spend,
  usesLeft,
} from "./block.ts";
export { type Allowed, decide, type Decision, type Limit } from "./chain.ts";
export type { Constraints, Hold, Pin } from "./constraints.ts";
export { CapabilityError } from "./error.ts";
export { type Capability, formatCapability, parseCapability } from "./grammar.ts";
export { type GrantDecision, mayGrant, uncovered } from "./grant.ts";
export type { Json } from "./json.ts";
export { isKind, type Kind, KINDS } from "./kinds.ts";
export type { Request } from "./obstacle.ts";
export { compile, matches, type Pattern } from "./pattern.ts";
export type { Refusal } from "./refusal.ts";
