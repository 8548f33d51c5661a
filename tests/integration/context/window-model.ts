// A model with a small window for the tests of this folder. It counts four characters as a token, refuses
// what a vendor would refuse, and keeps what it was shown.

import {
  isSummaryRequest,
  type InferReply,
  type Message,
  type ModelDriver,
  type SyscallArgs,
} from "@aos/protocol";

type Request = SyscallArgs<"infer">;
export type Said = Partial<Pick<InferReply, "text" | "toolCalls" | "finish">>;

export interface WindowModel {
  readonly model: ModelDriver;
  /** The requests that it answered, without those for a summary. */
  readonly shown: Request[];
  readonly summaries: Request[];
  /** What was wrong with the requests that it got. */
  readonly flaws: string[];
}

export const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce(
    (sum, { content, toolCalls }) =>
      sum + 4 + Math.ceil((content.length + JSON.stringify(toolCalls ?? "").length) / 4),
    0,
  );

export function windowModel({
  window = 4000,
  counts = true,
  answer,
  summarise = () => "a summary",
}: {
  window?: number | null;
  /** Whether it says how much a request has. */
  counts?: boolean;
  answer: (request: Request) => Said;
  summarise?: (text: string) => string;
}): WindowModel {
  const shown: Request[] = [];
  const summaries: Request[] = [];
  const flaws: string[] = [];
  const measure = (request: Request) => ({
    tokens: tokensOf(request.messages),
    card: {
      model: request.model,
      window,
      maxOutputTokens: null,
      price: { input: 2, output: 8, date: "2026-01-01", source: "a test" },
    },
  });
  const model: ModelDriver = {
    provider: "small",
    egress: false,
    worstCase: () => ({ usd: 0, tokens: 0 }),
    ...(counts ? { measure } : {}),
    infer: async (request) => {
      const isSummary = isSummaryRequest(request.messages);
      (isSummary ? summaries : shown).push(structuredClone(request));
      const inputTokens = tokensOf(request.messages);
      flaws.push(...flawsIn(request));
      if (inputTokens > (window ?? Infinity)) flaws.push(`${inputTokens} tokens`);
      const said: Said = isSummary
        ? { text: summarise(request.messages.at(-1)!.content) }
        : answer(request);
      const { text = "", toolCalls = [] } = said;
      const finish = said.finish ?? (toolCalls.length > 0 ? "tool" : "stop");
      const outputTokens = tokensOf([
        { role: "assistant", content: text, toolCalls: [...toolCalls] },
      ]);
      return { text, toolCalls, finish, usage: { inputTokens, outputTokens }, usd: 0 };
    },
  };
  return { model, shown, summaries, flaws };
}

/** Every result follows its call, and every call has its result; nothing begins with the model. */
function flawsIn({ messages }: Request): string[] {
  const flaws: string[] = [];
  let open: string[] = [];
  for (const [index, { role, toolCalls = [], toolCallId }] of messages.entries()) {
    if (role === "tool") {
      if (!open.includes(toolCallId!)) flaws.push(`message ${index} answers no call`);
      open = open.filter((id) => id !== toolCallId);
      continue;
    }
    if (open.length > 0) flaws.push(`message ${index} comes before the results of ${open.join()}`);
    open = toolCalls.map(({ id }) => id);
  }
  if (open.length > 0) flaws.push(`no results of ${open.join()}`);
  if (messages.find(({ role }) => role !== "system")?.role !== "user")
    flaws.push("the first to speak is not a user");
  return flaws;
}
