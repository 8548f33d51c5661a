import type { Program } from "@aos/protocol";
import { agent } from "./agent/agent.ts";

/** The programs that come with the system. A version changes when a program asks for other things. */
export const programs: Readonly<
  Record<string, { readonly version: string; readonly run: Program }>
> = {
  agent: { version: "1", run: agent },
};
