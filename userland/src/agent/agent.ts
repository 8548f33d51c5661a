// Agent: the LLM loop, as a program. It works on one task and ends with its answer or, where the manifest says
// `persistent`, stays alive and answers one message after another.
//
// AGENT-1  It uses only system calls and is deterministic between them: a restarted program makes the same calls.
// AGENT-2  The model receives a refused or failed call as a result and can react; a failure that only the kernel can
//          repair ends the program.
// AGENT-3  It always ends: after `limits.maxSteps` requests (50), or when the model repeats itself.
// AGENT-4  The model sees the names of the skills, and only the tools that the skills it has read allow.
// AGENT-5  With `output.schema` the returned value matches the schema, or the agent fails.
// AGENT-6  An answer with a confidence below `confidence.threshold` is no success: exit code 101 without the answer,
//          or 102 with it.
// AGENT-7  An agent that remembers is told what failed at similar tasks, and keeps what came of this one.

import { exitCodes, type Json, type Manifest, type Program, type Sys } from "@aos/protocol";
import { Conversation } from "../context/conversation.ts";
import { TaskMemory } from "../memory/task-memory.ts";
import { answerFormOf } from "./answer-form.ts";
import { ModelEscalation } from "./model-escalation.ts";
import { initialState, runSession, type SessionState } from "./session.ts";
import { introduce, remembers, requestMessage, systemMessages } from "./opening.ts";
import { type Solution, AgentTask } from "./task.ts";
import { Toolbox } from "./toolbox.ts";

export const agentProgram: Program = async (sys, input, state) => {
  if (state !== undefined) return runSession(sys, state as unknown as SessionState);
  const manifest = (await sys.read("/self/manifest")) as unknown as Manifest;
  const ladder = new ModelEscalation(manifest);
  const form = answerFormOf(manifest);
  const system = await introduce(sys, manifest, form);
  if (manifest.persistent === true) {
    const first = input === null ? undefined : requestMessage(input);
    return runSession(sys, initialState(manifest, system), first);
  }
  const toolbox = await Toolbox.open(sys, manifest);
  const request = requestMessage(input);
  const memory = remembers(manifest) ? new TaskMemory(sys, manifest, { request }) : undefined;
  const opening = [...systemMessages(system), (await memory?.informedRequest()) ?? request];
  const talk = new Conversation({ manifest, opening });
  await talk.listen(sys);
  const context = { manifest, ladder, form, toolbox, ...(memory && { memory }) };
  const task = new AgentTask(sys, context, talk);
  const solution = await (memory?.around(() => task.solve(), { talk, ladder }) ?? task.solve());
  return deliverResult(sys, manifest, solution);
};

/** AGENT-6. */
export async function deliverResult(
  sys: Sys,
  { confidence: wanted }: Manifest,
  { value, confidence }: Solution,
): Promise<Json> {
  if (wanted === undefined || confidence >= wanted.threshold) return value;
  const reason = `the model is ${confidence} sure of its answer, and ${wanted.threshold} is asked for`;
  return wanted.below === "answer"
    ? sys.exit(exitCodes.lowConfidence, value, `${reason}: it is given all the same`)
    : sys.exit(exitCodes.lowConfidenceRefused, null, `${reason}: it is not given`);
}
