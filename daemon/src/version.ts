import manifest from "../package.json" with { type: "json" };

export const DAEMON_VERSION: string = manifest.version;
