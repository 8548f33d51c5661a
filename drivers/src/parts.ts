// Parts: single drivers for the tests of this repository. Not a public interface.

export { createBrowserTools } from "./tools/browser/browser-tools.ts";
export { findChromium } from "./tools/browser/chromium.ts";
export { rangeOf } from "./web/address.ts";
export { dialBy } from "./web/dial.ts";
export type { EgressOptions } from "./web/egress.ts";
export { pgvectorMount } from "./mounts/pgvector-mount.ts";
export { postgresMount } from "./mounts/postgres-mount.ts";
export { s3Mount } from "./mounts/s3-mount.ts";
