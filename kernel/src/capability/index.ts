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
  restoreBlock,
  spend,
  usesLeft,
} from "./block.ts";
export { decide } from "./chain.ts";
export { CapabilityError } from "./error.ts";
export { formatCapability, parseCapability } from "./grammar.ts";
export type { Kind } from "./kinds.ts";
export type { Refusal } from "./refusal.ts";
