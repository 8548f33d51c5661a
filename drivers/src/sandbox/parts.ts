// Parts: the sandbox for the tests of this repository. Not a public interface.

export { removeAbandoned } from "./cgroup/folder.ts";
export { cgroupPlaces } from "./cgroup/index.ts";
export { markOf, startOf, currentOwner } from "./owner.ts";
export { createAuthority } from "./proxy/authority.ts";
export { openProxy, placeholdersFor, type Proxy } from "./proxy/index.ts";
export { RunSources } from "./run-sources.ts";
export type { Confinement, Mount, RunEnding, RunRequest, SandboxedRun } from "./sandbox.ts";
