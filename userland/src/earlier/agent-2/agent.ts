// FROZEN: version 2 of the program `agent`. Runs that began under it are continued and replayed by it, so
// what it asks for must never change. New behaviour belongs to the current version (userland/src/agent).
//
// Agent: the LLM loop. It asks the model, runs the tools that the model calls for, shows it what came
// of them, and returns the first answer that calls for none.
//
// A1  It has only its system calls, and is deterministic between them: started again, it asks the same.
// A2  What a call is refused or fails with is told to the model, which can react; what only the kernel
//     can mend ends the program.
// A3  It always ends: after `limits.maxSteps` requests (50), or when the model repeats itself.
// A4  It tells the model the names of its skills, and shows it only the tools that those it has read leave.
// A5  With `output.schema` what it returns fits the schema, or it fails.
//
// The manifest's `model` may be a list, a ladder. This version stays on its first rung.

import {
  type InferReply,
  type Json,
  type Manifest,
  type Message,
  type Program,
  type Sys,
  SysError,
  type ToolOffer,
} from "@aos/protocol";
import { LoopGuard } from "./loop-guard.ts";
import { readAnswer, refuseUncheckable } from "./output-schema.ts";
import { introduceSkills, leftBySkills } from "./skill-card.ts";
import { syscallOffers } from "./syscall-run.ts";
import { runTools } from "./tool-run.ts";

const DEFAULT_MAX_STEPS = 50;
const MAX_REPAIRS = 2;

export const agent2: Program = async (sys, input) => {
  const manifest = (await sys.read("/self/manifest")) as unknown as Manifest;
  const own = syscallOffers(manifest);
  const ownNames = new Set(own.map(({ name }) => name));
  let tools = [...((await sys.read("/self/tools")) as unknown as ToolOffer[]), ...own];
  const skills = await introduceSkills(sys, manifest.skills);
  const model = firstModel(manifest);
  const schema = manifest.output?.schema as Json | undefined;
  if (schema !== undefined) refuseUncheckable(schema);

  const maxSteps = manifest.limits.maxSteps ?? DEFAULT_MAX_STEPS;
  const messages = opening([manifest.system, skills], schema, input);
  const guard = new LoopGuard();
  let repairs = 0;

  for (let step = 1; step <= maxSteps; step++) {
    const reply = await sys.infer({
      model,
      messages: [...messages],
      ...(tools.length > 0 ? { tools } : {}),
    });
    refuseCutOff(reply, model);

    if (reply.toolCalls.length > 0) {
      messages.push(...(await toolStep(sys, reply, guard, ownNames)));
      if (reply.toolCalls.some(({ tool }) => tool === "skill.read"))
        tools = await leftBySkills(sys, tools);
      continue;
    }
    if (schema === undefined) return reply.text;

    const answer = readAnswer(reply.text, schema);
    if (answer.fits) return answer.value;
    if (repairs === MAX_REPAIRS) throw unfit(answer.problems, repairs);
    repairs += 1;
    messages.push({ role: "assistant", content: reply.text }, repairRequest(answer.problems));
  }
  throw new SysError("ETIMEDOUT", `there is no answer after ${maxSteps} steps`, {
    hint: "raise limits.maxSteps in the manifest, or give the agent less to do at once",
  });
};

function firstModel({ name, model }: Manifest): string {
  const first = typeof model === "string" ? model : model?.[0];
  if (first !== undefined) return first;
  throw new SysError("EINVAL", `the manifest of ${name} names no model`, {
    hint: "add `model: provider/name` to it, for instance `model: scripted/hello`",
  });
}

function opening(
  system: readonly (string | undefined)[],
  schema: Json | undefined,
  input: Json,
): Message[] {
  const instructions = [
    ...system.filter((text) => text !== undefined),
    ...(schema === undefined
      ? []
      : [
          "Give your final answer as one JSON value that fits this JSON Schema, and nothing else:\n" +
            JSON.stringify(schema),
        ]),
  ];
  return [
    ...(instructions.length === 0
      ? []
      : [{ role: "system" as const, content: instructions.join("\n\n") }]),
    { role: "user", content: requestText(input) },
  ];
}

/** Models refuse a conversation in which nobody says anything. */
const NO_INPUT = "Begin.";

function requestText(input: Json): string {
  if (input === null || input === undefined || input === "") return NO_INPUT;
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** Half an answer must not pass for a whole one, and half a tool call must not run. */
function refuseCutOff({ finish, text }: InferReply, model: string): void {
  if (finish !== "length") return;
  throw new SysError("EUPSTREAM", `${model} was cut off at its limit of tokens`, {
    hint: "ask for a shorter answer, or take a model with a higher limit",
    detail: { text },
  });
}

async function toolStep(
  sys: Sys,
  reply: InferReply,
  guard: LoopGuard,
  own: ReadonlySet<string>,
): Promise<Message[]> {
  const calls = [...reply.toolCalls];
  const warning = guard.note(calls);
  const results = await runTools(sys, calls, own);
  return [
    { role: "assistant", content: reply.text, toolCalls: calls },
    ...results,
    ...(warning === undefined ? [] : [{ role: "user" as const, content: warning }]),
  ];
}

const repairRequest = (problems: readonly string[]): Message => ({
  role: "user",
  content: `This is not the answer that was asked for:\n${problems
    .map((problem) => `- ${problem}`)
    .join("\n")}\nAnswer again, with the JSON value and nothing else.`,
});

const unfit = (problems: readonly string[], repairs: number): SysError =>
  new SysError(
    "EUPSTREAM",
    `the answer does not fit output.schema after ${repairs} repairs: ${problems.join("; ")}`,
    { detail: { problems: [...problems] } },
  );
