import type { Program } from "@aos/protocol";
import { agentProgram } from "./agent/agent.ts";
import { askProgram } from "./ask/ask.ts";
import { callProgram } from "./call/call.ts";
import { converseProgram } from "./converse/converse.ts";
import { filesProgram } from "./files/files.ts";

import { agent1 } from "./earlier/agent-1/agent.ts";
import { agent2 } from "./earlier/agent-2/agent.ts";

export type { Turn, TurnResult } from "./converse/turn.ts";
import { pipeProgram } from "./pipe/pipe.ts";
import { recallProgram } from "./recall/recall.ts";

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
  agent: { version: "3", run: agentProgram, earlier: { "1": agent1, "2": agent2 } },
  ask: { version: "1", run: askProgram, earlier: {} },
  call: { version: "1", run: callProgram, earlier: {} },
  converse: { version: "1", run: converseProgram, earlier: {} },
  files: { version: "1", run: filesProgram, earlier: {} },
  pipe: { version: "1", run: pipeProgram, earlier: {} },
  recall: { version: "1", run: recallProgram, earlier: {} },
};
