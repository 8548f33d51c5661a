import type { Program } from "@aos/protocol";
import { agent } from "./agent/agent.ts";
import { ask } from "./ask/ask.ts";
import { call } from "./call/call.ts";
import { converse } from "./converse/converse.ts";

export type { Turn, Turned } from "./converse/turn.ts";
import { recall } from "./recall/recall.ts";

/** The programs that come with the system. A version changes when a program asks for other things. */
export const programs: Readonly<
  Record<string, { readonly version: string; readonly run: Program }>
> = {
  agent: { version: "3", run: agent },
  ask: { version: "1", run: ask },
  call: { version: "1", run: call },
  converse: { version: "1", run: converse },
  recall: { version: "1", run: recall },
};
