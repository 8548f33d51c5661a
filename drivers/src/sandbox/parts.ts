// Parts: the sandbox by itself, for the tests of this repository. It is no promise to anybody else.

export { removeAbandoned } from "./cgroup/folder.ts";
export { cgroupPlaces } from "./cgroup/index.ts";
export { markOf, startOf, thisOwner } from "./owner.ts";
export { createAuthority } from "./proxy/authority.ts";
export { openProxy, placeholdersFor, type Proxy } from "./proxy/index.ts";
export { RunSources } from "./run-sources.ts";
export type { Confinement, Mount, RunEnding, RunRequest, SandboxedRun } from "./sandbox.ts";
