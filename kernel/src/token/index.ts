// Tokens: chains of capability blocks that leave the kernel, and how one that comes back is verified.
// Reading order: token-block, token, then the two kinds: by MAC for this kernel, signed for others.

export { publicKeyOf } from "./ed25519.ts";
export { attenuateMacToken, mintMacToken, verifyMacToken } from "./mac-token.ts";
export { attenuateSignedToken, mintSignedToken, verifySignedToken } from "./signed-token.ts";
export { fixExpiry, specsOf, type TokenRefusal, type VerifiedToken } from "./token.ts";
