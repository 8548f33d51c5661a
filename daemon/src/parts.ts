// Parts: what the daemon is put together from, for those who put some of it together in code: the attacks,
// and the tests and benches of this repository. It is no promise to anybody else.

export { programLibraries } from "./program-libraries.ts";
export { trustRegistryIn, type TrustRegistry } from "./trust/trust-registry.ts";
export { defaultWorkspaces } from "./program-runner-setup.ts";
