// Parts: what the command line is made of, for the tests of this repository. It is no promise to anybody
// else.

export { commands } from "./commands.ts";
export { connectTo } from "./connection.ts";
export { socketFetch } from "./daemon-fetch.ts";
export { endpointOf } from "./endpoint.ts";
export { isRunning } from "./is-running.ts";
export { launchdPlist } from "./service/launchd-plist.ts";
export { commandShape } from "./line/shape.ts";
export { templates } from "./templates.ts";
