// Secrets: names to agents, values only at the place they are bound to, and taken out of everything
// that is recorded. DESIGN §5. Reading order: binding, seal, vault; forms, scrubber, known-formats.

export type { Binding } from "./binding.ts";
export { loadOrCreateKeys } from "./key-file.ts";
export { parseSecretKey, type SecretKey } from "./key.ts";
export type { ScrubStream } from "./scrub-stream.ts";
export { Scrubber } from "./scrubber.ts";
export type { SealedSecret } from "./seal.ts";
export { type SecretRows, Vault } from "./vault.ts";
