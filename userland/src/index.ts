import type { Program } from "@aos/protocol";
import { agent } from "./agent/agent.ts";
import { ask } from "./ask/ask.ts";
import { call } from "./call/call.ts";
import { converse } from "./converse/converse.ts";

import { agent1 } from "./earlier/agent-1/agent.ts";
import { agent2 } from "./earlier/agent-2/agent.ts";

export type { Turn, Turned } from "./converse/turn.ts";
import { recall } from "./recall/recall.ts";

/**
 * The programs that come with the system. A version changes when a program asks for other things, and the
 * one before stays, frozen, below earlier/: what began under it is continued and replayed by it
 * (CONTRIBUTING.md has the steps).
 */
export const programs: Readonly<
  Record<
    string,
    {
      readonly version: string;
      readonly run: Program;
      readonly earlier: Readonly<Record<string, Program>>;
    }
  >
> = {
  agent: { version: "3", run: agent, earlier: { "1": agent1, "2": agent2 } },
  ask: { version: "1", run: ask, earlier: {} },
  call: { version: "1", run: call, earlier: {} },
  converse: { version: "1", run: converse, earlier: {} },
  recall: { version: "1", run: recall, earlier: {} },
};
