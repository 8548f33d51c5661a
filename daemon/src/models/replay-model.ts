// The models `replay/PID`: answers from the journal of another process, without network or key.
//
// REPLAY-MODEL-1  The k-th request of a process gets the answer to PID's k-th request; never another one.
// REPLAY-MODEL-2  Only processes of the same tenant can be replayed.
// REPLAY-MODEL-3  A process that receives PID's answer also receives the label that PID had at that answer.
// REPLAY-MODEL-4  It costs nothing. The tokens are the recorded ones, up to the worst case.

import type { Kernel, RecordedInference } from "@aos/kernel";
import {
  SysError,
  type InferReply,
  type ModelContext,
  type ModelDriver,
  type SyscallArgs,
  type Usage,
} from "@aos/protocol";
import { InferenceCounter, callNumberOf } from "./inference-counter.ts";

const PROVIDER = "replay";
const DEFAULT_MAX_TOKENS = 16_384;
/** A token is seldom shorter: the worst case is to cover what was really used. */
const LEAST_CHARS_PER_TOKEN = 2;

type Request = SyscallArgs<"infer">;
type Past = Pick<Kernel, "show" | "inferences">;

export function createReplayModels(kernel: () => Past): ModelDriver {
  const before = new InferenceCounter((pid) => kernel().inferences(pid));
  return {
    provider: PROVIDER,
    egress: false,
    worstCase: (request) => ({ usd: 0, tokens: mostInput(request) + mostOutput(request) }),
    async infer(request, context) {
      const pid = request.model.slice(PROVIDER.length + 1);
      const said = await inferencesOf(kernel(), pid, context);
      const place = await before.placeOf(context.pid, request.model, callNumberOf(context.key));
      const past = said[place];
      if (past === undefined) throw noneLeft(pid, said.length, place);
      context.label(past.label); // REPLAY-MODEL-3
      const reply = replyOf(pid, past, place);
      context.progress({ kind: "text", text: reply.text });
      return { ...reply, usage: covered(reply.usage, request), usd: 0 };
    },
  };
}

async function inferencesOf(
  kernel: Past,
  pid: string,
  { tenant }: ModelContext,
): Promise<readonly RecordedInference[]> {
  const process = await kernel.show(pid).catch((error: unknown) => {
    if (error instanceof SysError && error.code === "ENOENT") return undefined;
    throw error;
  });
  if (process === undefined || process.pid !== pid || process.tenant !== tenant)
    throw new SysError("ENOENT", `unknown process ${pid} to replay`, {
      hint: "a replay is written replay/PID, with the whole pid of a process of the same tenant",
    });
  if (process.compacted)
    throw new SysError(
      "ENOENT",
      `the history of ${pid} was compacted: the model's answers are gone`,
      {
        hint: "`retention` in config.yaml sets how long histories are kept",
      },
    );
  return kernel.inferences(pid);
}

const noneLeft = (pid: string, count: number, place: number): SysError =>
  new SysError(
    "ENOENT",
    `${pid} made ${count} model requests, and this is request ${place + 1}: no recorded answer is left`,
    {
      hint: "a replay has only the recorded answers; this process has diverged from the recorded one",
    },
  );

function replyOf(pid: string, { reply, err }: RecordedInference, place: number): InferReply {
  if (reply !== undefined) return reply;
  throw new SysError(
    "EUPSTREAM",
    `request ${place + 1} of ${pid} failed when it was recorded (${err?.code})`,
    {
      hint: `for the reason: aos logs ${pid}`,
    },
  );
}

const mostInput = ({ messages, tools = [] }: Request): number =>
  Math.ceil(
    (JSON.stringify(messages).length + JSON.stringify(tools).length) / LEAST_CHARS_PER_TOKEN,
  );

const mostOutput = ({ maxTokens = DEFAULT_MAX_TOKENS }: Request): number => maxTokens;

/** REPLAY-MODEL-4. */
const covered = (usage: Usage, request: Request): Usage => ({
  ...usage,
  inputTokens: Math.min(usage.inputTokens, mostInput(request)),
  outputTokens: Math.min(usage.outputTokens, mostOutput(request)),
});
