// FROZEN with version 3 of `agent` (see agent.ts beside it).
//
// Replan: a tool with which a model reports that its plan failed; the next model then starts a new plan.

import type { ToolCall, ToolOffer } from "@aos/protocol";

export const REPLAN = "replan";

export const replanOffer: ToolOffer = {
  name: REPLAN,
  description:
    "Say that the plan has failed and that the work must be begun again, by a more able model. Only when you cannot go on.",
  input: {
    type: "object",
    properties: { reason: { type: "string", description: "What went wrong." } },
    required: ["reason"],
    additionalProperties: false,
  },
};

/** What is told of a call of the reply that asked to begin again. */
export const replanResult = ({ tool }: ToolCall): string =>
  tool === REPLAN
    ? "Begin again: what was found stands above; make a new plan, and do not repeat what has failed."
    : "It was not run: the plan was given up.";
