// AgentTask: from a request to its answer. It asks the model, runs the requested tools, returns their results, and
// ends with the first answer without tool calls.
//
// AGENT-TASK-1  It always ends: after `limits.maxSteps` requests (50), or when the model repeats itself.
// AGENT-TASK-2  A truncated answer is not used: the next model is asked, or the task fails.
// AGENT-TASK-3  Reasoning goes back only to the model that produced it, within the task.
// AGENT-TASK-4  A call of a tool that belongs to the caller is not made here: the task ends with it, after the
//               agent's own calls of the same reply. A truncated answer is then returned as it is.

import {
  type InferReply,
  type Manifest,
  type Message,
  type Sys,
  type SyscallArgs,
  SysError,
  type ToolCall,
  type ToolOffer,
} from "@aos/protocol";
import type { Conversation } from "../context/conversation.ts";
import type { AnswerForm, FinalAnswer } from "./answer-form.ts";
import type { ModelEscalation } from "./model-escalation.ts";
import type { TaskMemory } from "../memory/task-memory.ts";
import { LoopGuard } from "./loop-guard.ts";
import { REPLAN, replanOffer, replanResult } from "./replan.ts";
import { isReportedToModel, runTools } from "./tool-run.ts";
import type { Toolbox } from "./toolbox.ts";

const DEFAULT_MAX_STEPS = 50;
const MAX_REPAIRS = 2;

export interface TaskContext {
  readonly manifest: Manifest;
  readonly form: AnswerForm;
  readonly ladder: ModelEscalation;
  readonly toolbox: Toolbox;
  /** Where the agent remembers: what it keeps of a task that a signal ends. */
  readonly memory?: TaskMemory;
  /** AGENT-TASK-4. */
  readonly callers?: CallersTools;
  /** Whether somebody wants it to go no further; asked before each request. */
  readonly isStopped?: () => boolean;
}

/** The task was stopped before its answer. */
export class TaskStopError extends SysError {
  constructor() {
    super("EINTR", "the work on this message was stopped");
  }
}

/** Tools that whoever asks runs themselves. */
export interface CallersTools {
  readonly offers: readonly ToolOffer[];
  /** Only they are offered, and one has to be called. */
  readonly mustCall?: boolean | undefined;
  readonly oneCall?: boolean | undefined;
}

export type Solution = Extract<FinalAnswer, { fits: true }>;
/** How a task comes to a stop: solved; with calls that are the caller's to make; or cut off. */
export type TaskStop =
  | Solution
  | { readonly handed: readonly ToolCall[] }
  | { readonly cut: string };

export class AgentTask {
  readonly #sys: Sys;
  readonly #context: TaskContext;
  readonly #talk: Conversation;
  readonly #guard = new LoopGuard();
  /** By the first call of a message: whose thoughts are those of the model that is asked now (AGENT-TASK-3). */
  readonly #thoughtOf = new Set<string>();
  #repairs = 0;

  constructor(sys: Sys, context: TaskContext, talk: Conversation) {
    this.#sys = sys;
    this.#context = context;
    this.#talk = talk;
  }

  /** The request is in the conversation already; the answer is when this returns. */
  async solve(): Promise<Solution> {
    const stop = await this.take();
    if ("value" in stop) return stop;
    throw new SysError("EINTERNAL", "a task without a caller's tools came to no solution");
  }

  /** The same, where whoever asks has tools of their own. */
  async take(): Promise<TaskStop> {
    const maxSteps = this.#context.manifest.limits.maxSteps ?? DEFAULT_MAX_STEPS;
    for (let step = 1; step <= maxSteps; step++) {
      if (this.#context.isStopped?.() === true) throw new TaskStopError();
      const reply = await this.#ask();
      const stop = reply === undefined ? undefined : await this.#take(reply);
      if (stop !== undefined) return stop;
    }
    throw new SysError("ETIMEDOUT", `there is no answer after ${maxSteps} steps`, {
      hint: "raise limits.maxSteps in the manifest, or give the agent less to do at once",
    });
  }

  /** One request. Undefined where it was too much for the model, and is less now. */
  async #ask(): Promise<InferReply | undefined> {
    const { model } = this.#context.ladder;
    try {
      return await this.#sys.infer(this.#request());
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "ECONTEXT") throw error;
      if (await this.#talk.afterOverflow(this.#sys, error, { model })) return undefined;
      throw error;
    }
  }

  #request(): SyscallArgs<"infer"> {
    const { manifest, ladder, form, toolbox, callers } = this.#context;
    const own = [
      ...toolbox.offersWith(this.#talk.tools),
      ...(ladder.canClimb("replan") ? [replanOffer] : []),
    ];
    const mustCall = callers?.mustCall === true;
    const tools = [...(mustCall ? [] : own), ...(callers?.offers ?? [])];
    const { maxTokens, temperature, effort } = manifest;
    return {
      model: ladder.model,
      messages: this.#talk.messages.map((message) => this.#shown(message)),
      ...(tools.length > 0 ? { tools } : {}),
      ...(mustCall ? { toolChoice: "required" as const } : {}),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(effort === undefined ? {} : { effort }),
      ...(form.schema === undefined ? {} : { output: { schema: form.schema } }),
    };
  }

  /** AGENT-TASK-3. */
  #shown(message: Message): Message {
    if (message.reasoning === undefined) return message;
    const { reasoning: _thoughts, ...said } = message;
    return this.#thoughtOf.has(message.toolCalls?.[0]?.id ?? "") ? message : said;
  }

  async #take(reply: InferReply): Promise<TaskStop | undefined> {
    const { ladder, form } = this.#context;
    if (reply.finish === "filter") throw heldBack(ladder.model);
    if (reply.finish === "length") {
      if (this.#climb("cutoff")) return undefined; // AGENT-TASK-2
      if (!this.#takesHalf) throw cutOff(reply, ladder.model);
      this.#talk.push(said({ ...reply, toolCalls: [] }));
      return { cut: reply.text };
    }
    if (reply.toolCalls.some(({ tool }) => this.#isCallers(tool))) return this.#handOver(reply);
    if (reply.toolCalls.length > 0) {
      await this.#callStep(reply);
      return undefined;
    }
    const answer = form.read(reply.text);
    if (!answer.fits) {
      this.#askForRepair(reply, answer.problems);
      return undefined;
    }
    const isSure = answer.confidence >= (this.#context.manifest.confidence?.threshold ?? 0);
    if (!isSure && this.#climb("low_confidence")) return undefined;
    this.#talk.push(said(reply));
    // One that ends with its answer needs no room for more.
    if (this.#context.manifest.persistent === true) await this.#makeRoom(reply);
    return answer;
  }

  /** AGENT-TASK-4. Half of a form is none, and nobody knows how sure half an answer is. */
  get #takesHalf(): boolean {
    const { callers, form, manifest } = this.#context;
    return callers !== undefined && form.schema === undefined && manifest.confidence === undefined;
  }

  readonly #isCallers = (tool: string): boolean =>
    this.#context.callers?.offers.some(({ name }) => name === tool) === true;

  /** AGENT-TASK-4. */
  async #handOver(reply: InferReply): Promise<TaskStop> {
    const theirs = reply.toolCalls.filter(({ tool }) => this.#isCallers(tool));
    const handed = this.#context.callers?.oneCall === true ? theirs.slice(0, 1) : theirs;
    const own = reply.toolCalls.filter((call) => !theirs.includes(call));
    const made = reply.toolCalls.filter((call) => own.includes(call) || handed.includes(call));
    const results = await runTools(this.#sys, own, this.#context.toolbox.ownWith(this.#talk.tools));
    this.#talk.push(said({ ...reply, toolCalls: made }), ...results);
    return { handed };
  }

  async #callStep(reply: InferReply): Promise<void> {
    const calls = [...reply.toolCalls];
    const isReplan = calls.some(({ tool }) => tool === REPLAN) && this.#climb("replan");
    const round = isReplan ? undefined : this.#guard.note(calls);
    if (round?.isOver === true) return this.#stopLoop(round.hint);

    this.#thoughtOf.add(calls[0]!.id);
    const results = isReplan
      ? calls.map((call) => ({
          role: "tool" as const,
          content: replanResult(call),
          toolCallId: call.id,
        }))
      : await runTools(this.#sys, calls, this.#context.toolbox.ownWith(this.#talk.tools));
    if (isReplan) this.#thoughtOf.clear();
    this.#talk.push(said(reply), ...results);
    if (round !== undefined) this.#talk.push({ role: "user", content: round.hint });
    if (calls.some(({ tool }) => tool === "skill.read"))
      await this.#context.toolbox.narrow(this.#sys);
    await this.#makeRoom(reply);
  }

  /** AGENT-TASK-1. The calls are not made. Another model may do better; else this is the end. */
  async #stopLoop(hint: string): Promise<void> {
    if (this.#climb("loop")) return this.#talk.push({ role: "user", content: hint });
    const error = new SysError("EUPSTREAM", `the model repeats itself. It was told: ${hint}`);
    await this.#context.memory?.failed(error, this.#talk.messages);
    const { pid } = await this.#sys.self();
    await this.#sys.signal(pid, "SIGLOOP").catch((error: unknown) => {
      if (!isReportedToModel(error)) throw error;
    });
    // Where a policy allows the signal nobody comes here: it has ended the process.
    throw error;
  }

  #askForRepair(reply: InferReply, problems: readonly string[]): void {
    if (this.#repairs === MAX_REPAIRS && !this.#climb("replan")) throw unfit(problems);
    this.#repairs += 1;
    this.#talk.push(said(reply), repairRequest(problems));
  }

  /** Who comes next begins with what was found, and with nothing that the one before did wrong. */
  #climb(why: Parameters<ModelEscalation["climb"]>[0]): boolean {
    if (!this.#context.ladder.climb(why)) return false;
    this.#guard.forget();
    this.#thoughtOf.clear();
    this.#repairs = 0;
    return true;
  }

  async #makeRoom(reply: InferReply): Promise<void> {
    await this.#talk.afterReply(this.#sys, reply, { model: this.#context.ladder.model });
  }
}

const said = ({ text, toolCalls, reasoning }: InferReply): Message => ({
  role: "assistant",
  content: text,
  ...(toolCalls.length === 0 ? {} : { toolCalls: [...toolCalls] }),
  ...(reasoning === undefined || reasoning.length === 0 ? {} : { reasoning: [...reasoning] }),
});

const cutOff = ({ text }: InferReply, model: string): SysError =>
  new SysError("EUPSTREAM", `${model} was cut off at its limit of tokens`, {
    hint: "ask for a shorter answer, raise maxTokens, or take a model with a higher limit",
    detail: { text },
  });

const heldBack = (model: string): SysError =>
  new SysError("EUPSTREAM", `the vendor of ${model} held its answer back`, {
    hint: "its filter found something in the request or in the answer",
  });

const repairRequest = (problems: readonly string[]): Message => ({
  role: "user",
  content: `This is not the answer that was asked for:\n${problems
    .map((problem) => `- ${problem}`)
    .join("\n")}\nAnswer again, with the JSON value and nothing else.`,
});

const unfit = (problems: readonly string[]): SysError =>
  new SysError(
    "EUPSTREAM",
    `the answer does not fit output.schema after ${MAX_REPAIRS} repairs: ${problems.join("; ")}`,
    { detail: { problems: [...problems] } },
  );
