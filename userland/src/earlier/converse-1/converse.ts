// FROZEN with version 1 of `converse`, which uses version 3 of `agent` (both never change).
//
// Converse: an agent as a model for other clients. It runs one turn of a conversation that the client keeps; the
// client sends all messages and its own tools, and receives the answer.
//
// CONVERSE-1  The agent's own tools run here, and every request uses the manifest's model, prompt and budget. A call
//             of a client's tool is not made: it ends the turn and is returned.
// CONVERSE-2  Client options only narrow: fewer tokens; a schema where the manifest has none.
// CONVERSE-3  A client's tool cannot have the name of one of the agent's own.

import { type Json, type Manifest, type Message, type Program, SysError } from "@aos/protocol";
import { deliverResult } from "../agent-3/agent.ts";
import { answerFormOf } from "../agent-3/answer-form.ts";
import { ModelEscalation } from "../agent-3/model-escalation.ts";
import { introduce, systemMessages } from "../agent-3/opening.ts";
import { type TaskStop, AgentTask } from "../agent-3/task.ts";
import { Toolbox } from "../agent-3/toolbox.ts";
import { Conversation } from "../agent-3/conversation.ts";
import type { Turn, TurnResult } from "./turn.ts";

export const converse1: Program = async (sys, input) => {
  const turn = readTurn(input);
  const manifest = narrowed((await sys.read("/self/manifest")) as unknown as Manifest, turn);
  const ladder = new ModelEscalation(manifest);
  const form = answerFormOf(manifest);
  const words = [await introduce(sys, manifest, form), turn.instructions];
  const toolbox = await Toolbox.open(sys, manifest);
  const callers = { offers: turn.tools ?? [], mustCall: turn.mustCall, oneCall: turn.oneCall };
  refuseTaken(toolbox, callers.offers);
  const talk = new NotedConversation({ manifest, opening: systemMessages(joined(words)) });
  talk.push(...turn.messages);
  const before = talk.noted.length;
  await talk.listen(sys);
  const stop = await new AgentTask(sys, { manifest, ladder, form, toolbox, callers }, talk).take();
  const turned = turnedBy(stop, talk.noted.slice(before)) as unknown as Json;
  return deliverResult(sys, manifest, {
    fits: true,
    value: turned,
    confidence: "value" in stop ? stop.confidence : 1,
  });
};

function readTurn(input: Json): Turn {
  const turn = (input ?? {}) as unknown as Partial<Turn>;
  if (!Array.isArray(turn.messages) || turn.messages.length === 0)
    throw new SysError("EINVAL", "there is no conversation", {
      hint: '{"messages": [{"role": "user", "content": "…"}]}',
    });
  return turn as Turn;
}

/** CONVERSE-2. One turn is all of its life. */
function narrowed(whole: Manifest, turn: Turn): Manifest {
  const { persistent: _persistent, history: _history, ...manifest } = whole;
  const { schema, temperature, effort, maxTokens } = turn;
  if (schema !== undefined && manifest.output !== undefined)
    throw new SysError("EINVAL", `the answers of ${manifest.name} have a form of their own`, {
      hint: "leave the format out of the request",
    });
  const most = [maxTokens, manifest.maxTokens].filter((limit) => limit !== undefined);
  return {
    ...manifest,
    ...(most.length === 0 ? {} : { maxTokens: Math.min(...most) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(effort === undefined ? {} : { effort }),
    ...(schema === undefined ? {} : { output: { schema } }),
  };
}

/** CONVERSE-3. */
function refuseTaken(toolbox: Toolbox, offers: Turn["tools"] & {}): void {
  const own = new Set(toolbox.offersWith([]).map(({ name }) => name));
  const taken = offers.find(({ name }) => own.has(name));
  if (taken !== undefined)
    throw new SysError("EINVAL", `the agent has a tool ${taken.name} of its own`, {
      hint: "call yours something else",
    });
}

const joined = (parts: readonly (string | undefined)[]): string | undefined => {
  const given = parts.filter((part) => part !== undefined && part !== "");
  return given.length === 0 ? undefined : given.join("\n\n");
};

function turnedBy(stop: TaskStop, said: readonly Message[]): TurnResult {
  if ("handed" in stop) return { text: "", finish: "tool", calls: stop.handed, said };
  if ("cut" in stop) return { text: stop.cut, finish: "length", calls: [], said };
  const { value } = stop;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { text, finish: "stop", calls: [], said };
}

/** What was pushed stays known, also when the conversation is made shorter. */
class NotedConversation extends Conversation {
  readonly noted: Message[] = [];

  override push(...messages: Message[]): void {
    this.noted.push(...messages);
    super.push(...messages);
  }
}
