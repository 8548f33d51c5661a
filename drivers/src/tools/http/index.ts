// HTTP: the tools, and the client that they and others send with.

export { createEgress } from "../../web/egress.ts";
export { createHttpTools } from "./http-tools.ts";
