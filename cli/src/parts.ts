// Parts: internals of the command line for the tests of this repository. Not a public interface.

export { commands } from "./commands.ts";
export { connectTo } from "./connection.ts";
export { socketFetch } from "./daemon-fetch.ts";
export { endpointOf } from "./endpoint.ts";
export { isRunning } from "./is-running.ts";
export { launchdPlist } from "./service/launchd-plist.ts";
export { commandShape } from "./line/shape.ts";
export { templates } from "./templates.ts";
