// FakeModel: answers for the model in a test, under the name that the agent uses for it, so that capabilities and
// policy are checked for that name.
//
// FAKE-MODEL-1  Nothing is sent anywhere.
// FAKE-MODEL-2  A script answers by what it is shown (the rules of scripted models); a recording answers in its order,
//     and reports a request that differs from the recorded one.
// FAKE-MODEL-3  The live driver's facts about the model (price, window, egress) apply in the test.

import { createScriptedModels, type ScriptText } from "@aos/drivers";
import {
  SysError,
  type InferReply,
  type ModelContext,
  type ModelDriver,
  type SyscallArgs,
} from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";
import { valueText } from "./match-value.ts";
import { messagesDigest, type RecordedAnswer } from "./recording.ts";

type Request = SyscallArgs<"infer">;
type Replied = InferReply & { readonly usd: number | null };

/** Answers for every model of every provider. */
export interface FakeModel {
  driver(provider: string, live: ModelDriver | undefined): ModelDriver;
  /** What the requests were that a recording did not have. */
  readonly otherRequests: readonly string[];
}

const SCRIPT = "script-of-the-test";

/** `name` is a script of one of the folders. */
export function scriptedFakeModel(
  script: { readonly name: string } | { readonly text: ScriptText },
  folders: readonly string[],
): FakeModel {
  const name = "name" in script ? script.name : SCRIPT;
  const scripted = createScriptedModels({
    folders,
    ...("text" in script ? { scripts: { [SCRIPT]: script.text } } : {}),
  });
  const model = `scripted/${name}`;
  return {
    otherRequests: [],
    driver: (provider, live) => ({
      provider,
      egress: live?.egress ?? isOutside(provider),
      ...said(live),
      worstCase: (request) => {
        const own = scripted.worstCase({ ...request, model });
        return live === undefined ? own : { ...own, usd: live.worstCase(request).usd };
      },
      infer: async (request, context) => {
        const reply = await scripted.infer({ ...request, model }, context);
        return live === undefined ? reply : { ...reply, usd: priceOf(reply, request, live) };
      },
    }),
  };
}

const MILLION = 1_000_000;

/** By the live driver's price, and never more than it said that it could be; null where it knows none. */
function priceOf({ usage }: InferReply, request: Request, live: ModelDriver): number | null {
  const price = live.measure?.(request).card.price ?? null;
  const worst = live.worstCase(request).usd;
  if (price === null || worst === null) return null;
  const usd = usage.inputTokens * price.input + usage.outputTokens * price.output;
  return Math.min(worst, usd / MILLION);
}

/** FAKE-MODEL-2. */
export function recordedFakeModel(answers: readonly RecordedAnswer[]): FakeModel {
  const left = [...answers];
  const otherRequests: string[] = [];
  let requests = 0;
  const next = ({ messages }: Request): RecordedAnswer => {
    requests += 1;
    const asked = messagesDigest(messages);
    const same = left.findIndex((one) => one.asked === asked);
    if (same < 0)
      otherRequests.push(
        `request ${requests} to the model is not what was recorded; it ends with ${valueText(messages.at(-1)?.content)}`,
      );
    const [answer] = left.splice(Math.max(same, 0), 1);
    if (answer !== undefined) return answer;
    throw new SysError("EUPSTREAM", `the recording has no answer to request ${requests}`);
  };
  const most = (of: (answer: RecordedAnswer) => number): number => Math.max(0, ...answers.map(of));
  const worst = { usd: most(({ usd = 0 }) => usd), tokens: most(tokensOf) };
  const window = answers.find((one) => one.window !== undefined)?.window;
  return {
    otherRequests,
    driver: (provider, live) => ({
      provider,
      egress: live?.egress ?? isOutside(provider),
      ...(window === undefined
        ? {}
        : {
            measure: ({ model }: Request) => ({
              tokens: 0,
              card: { model, window, maxOutputTokens: null, price: null },
            }),
          }),
      worstCase: () => worst,
      infer: async (request, { signal }) => {
        refuseIfStopped(signal);
        return replyOf(next(request));
      },
    }),
  };
}

/** FAKE-MODEL-3. */
const said = (live: ModelDriver | undefined): Partial<ModelDriver> =>
  live?.measure === undefined ? {} : { measure: live.measure.bind(live) };

const isOutside = (provider: string): boolean => provider !== "scripted" && provider !== "replay";

const tokensOf = ({ usage }: RecordedAnswer): number =>
  (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);

function replyOf({ error, ...answer }: RecordedAnswer): Replied {
  if (error !== undefined) throw new SysError(error.code, error.message, omitUndefined(error));
  const toolCalls = answer.call ?? [];
  return {
    text: answer.say ?? "",
    toolCalls,
    finish: answer.finish ?? (toolCalls.length > 0 ? "tool" : "stop"),
    usage: omitUndefined(
      answer.usage ?? { inputTokens: 0, outputTokens: 0 },
    ) as InferReply["usage"],
    usd: answer.usd ?? 0,
    ...(answer.reasoning === undefined ? {} : { reasoning: answer.reasoning }),
  };
}

function refuseIfStopped(signal: ModelContext["signal"]): void {
  if (!signal.aborted) return;
  if (signal.reason instanceof SysError) throw signal.reason;
  throw new SysError("EINTR", "the request was cancelled before its answer");
}
