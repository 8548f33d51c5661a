// Task memory: what surrounds a task of an agent that remembers. Before it, the request is given what earlier runs
// tell of similar goals; after it, an episode and the facts that the person stated are kept.
//
//   const memory = new TaskMemory(sys, manifest, { request })
//   const talk = …with await memory.informedRequest()
//   const solution = await memory.around(task, { talk, ladder })
//
// TASK-MEMORY-1  An agent whose manifest wants none of it makes the same calls as without.
// TASK-MEMORY-2  What is remembered of a task never changes its result.
// TASK-MEMORY-3  A persistent agent keeps failures only: nobody says whether a turn of a conversation was a success.

import { type Manifest, type Message, type Sys, SysError } from "@aos/protocol";
import type { ModelEscalation } from "../agent/model-escalation.ts";
import type { Solution } from "../agent/task.ts";
import { isReportedToModel } from "../agent/tool-run.ts";
import type { Conversation } from "../context/conversation.ts";
import { Experience } from "./experience.ts";
import { learnFrom } from "./learn.ts";

interface RememberedTask {
  readonly request: Message;
  /** Of a persistent agent: the id of the message that has it. */
  readonly message?: string | undefined;
}

interface TaskSurroundings {
  readonly talk: Conversation;
  readonly ladder: ModelEscalation;
}

export class TaskMemory {
  readonly #sys: Sys;
  readonly #manifest: Manifest;
  readonly #task: RememberedTask;
  readonly #experience: Experience | undefined;

  constructor(sys: Sys, manifest: Manifest, task: RememberedTask) {
    this.#sys = sys;
    this.#manifest = manifest;
    this.#task = task;
    this.#experience = Experience.of(sys, manifest);
  }

  /** The request, with what failed before at similar ones. */
  async informedRequest(talk: readonly Message[] = []): Promise<Message> {
    const { request } = this.#task;
    const text = await this.#experience?.about(request.content);
    const isKnown = text === undefined || talk.some(({ content }) => content.includes(text));
    return isKnown ? request : { ...request, content: `${request.content}\n\n${text}` };
  }

  /** TASK-MEMORY-2. Runs the task and keeps what came of it. */
  async around(solve: () => Promise<Solution>, at: TaskSurroundings): Promise<Solution> {
    const before = at.talk.messages.length;
    const solution = await solve().catch(async (error: unknown) => {
      if (isOver(error)) await this.failed(error, at.talk.messages.slice(before));
      throw error;
    });
    await this.#succeeded(solution, at, at.talk.messages.slice(before));
    return solution;
  }

  /** Also before a signal that ends the process. */
  async failed(error: SysError, messages: readonly Message[]): Promise<void> {
    const { request, message } = this.#task;
    await this.#experience?.record({ goal: request.content, messages, end: { error }, message });
  }

  async #succeeded(
    { value, confidence }: Solution,
    { ladder }: TaskSurroundings,
    messages: readonly Message[],
  ): Promise<void> {
    const { request, message } = this.#task;
    const said = request.content;
    const asked = { said, message, messages, model: ladder.model };
    const reflection = await learnFrom(this.#sys, this.#manifest, asked);
    if (this.#manifest.persistent === true) return; // TASK-MEMORY-3
    const isSure = confidence >= (this.#manifest.confidence?.threshold ?? 0);
    const end = { answer: value, isSure };
    await this.#experience?.record({ goal: said, messages, end, reflection });
  }
}

/** Whether the process can still make a call after it. */
const isOver = (error: unknown): error is SysError =>
  isReportedToModel(error) || (error instanceof SysError && error.code === "ECONTEXT");
