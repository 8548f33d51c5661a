// Prompt: converts the messages of a request for the vendors' packages.
//
// PROMPT-1  Tool results are together, directly after their calls.
// PROMPT-2  Content that a vendor does not accept in its place is moved: a system message in the middle becomes a
//     user message, files of a tool follow the results. Nothing is dropped silently.
// PROMPT-3  Where the vendor caches on request (`caches`), the system prompt and the newest message are marked;
//     call-options.ts marks tools.

import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Json, Message, SyscallArgs } from "@aos/protocol";
import { partOf } from "./attachments.ts";
import { ownThoughts, WORDS } from "./thoughts.ts";
import { type ToolNames, wireCallId } from "./tool-names.ts";
import type { Vendor } from "./vendors.ts";

type Request = SyscallArgs<"infer">;
type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;
type FileOrText = LanguageModelV4TextPart | LanguageModelV4FilePart;

export function promptOf(
  { model, messages }: Request,
  provider: string,
  vendor: Vendor,
  names: ToolNames,
): LanguageModelV4Prompt {
  const called = new Map<string, string>();
  const prompt: LanguageModelV4Message[] = [];
  let pending: FileOrText[] = [];
  const flush = (): void => {
    if (pending.length > 0) prompt.push({ role: "user", content: pending });
    pending = [];
  };
  const files = (message: Message): FileOrText[] =>
    (message.attachments ?? []).map((each) => partOf(each, vendor.takes, model));

  for (const message of messages) {
    if (message.role !== "tool") flush();
    switch (message.role) {
      case "system":
        prompt.push(systemOf(message, vendor, prompt));
        break;
      case "user":
        prompt.push({ role: "user", content: userParts(message.content, files(message)) });
        break;
      case "assistant": {
        for (const { id, tool } of message.toolCalls ?? []) called.set(id, tool);
        const content = assistantParts(message, provider, names);
        if (content.length > 0) prompt.push({ role: "assistant", content });
        break;
      }
      case "tool": {
        const { toolCallId = "" } = message;
        const given = files(message);
        const inside = vendor.toolFiles ? given : [];
        if (!vendor.toolFiles && given.length > 0)
          pending.push({ type: "text", text: `Files of the result of ${toolCallId}:` }, ...given);
        const tool = names.wire(called.get(toolCallId) ?? "tool");
        addResult(prompt, resultOf(message.content, toolCallId, tool, inside));
      }
    }
  }
  flush();
  if (vendor.caches !== undefined) markForCache(prompt, vendor.caches);
  return prompt;
}

function systemOf(
  { content }: Message,
  { systemFirst }: Vendor,
  before: LanguageModelV4Prompt,
): LanguageModelV4Message {
  if (!systemFirst || before.every(({ role }) => role === "system"))
    return { role: "system", content };
  return { role: "user", content: [{ type: "text", text: `[system] ${content}` }] };
}

/** Vendors refuse an empty text, and a message of nothing. */
function userParts(content: string, files: FileOrText[]): FileOrText[] {
  const words = content === "" ? (files.length > 0 ? "(attached)" : "(nothing)") : content;
  return [{ type: "text", text: words }, ...files];
}

function assistantParts(
  message: Message,
  provider: string,
  names: ToolNames,
): Assistant["content"] {
  const { spoken, sealed } = ownThoughts(message.reasoning, provider);
  const parts: Assistant["content"] = spoken.map(({ text, data }) => ({
    type: "reasoning",
    text,
    ...withOptions(data),
  }));
  if (message.content !== "")
    parts.push({ type: "text", text: message.content, ...withOptions(sealed.get(WORDS)) });
  for (const { id, tool, args } of message.toolCalls ?? [])
    parts.push({
      type: "tool-call",
      toolCallId: wireCallId(id),
      toolName: names.wire(tool),
      input: objectOf(args),
      ...withOptions(sealed.get(id)),
    });
  return parts;
}

const withOptions = (
  options: SharedV4ProviderOptions | undefined,
): { providerOptions?: SharedV4ProviderOptions } =>
  options === undefined ? {} : { providerOptions: options };

/** Arguments that a model wrote wrongly are kept as text; vendors take objects only. */
export const objectOf = (args: Json): Json =>
  typeof args === "object" && args !== null && !Array.isArray(args) ? args : { input: args };

function resultOf(
  text: string,
  id: string,
  toolName: string,
  files: FileOrText[],
): LanguageModelV4ToolResultPart {
  const value = text === "" ? "(nothing)" : text;
  return {
    type: "tool-result",
    toolCallId: wireCallId(id),
    toolName,
    output:
      files.length === 0
        ? { type: "text", value }
        : { type: "content", value: [{ type: "text", text: value }, ...files] },
  };
}

/** PROMPT-1. */
function addResult(prompt: LanguageModelV4Message[], part: LanguageModelV4ToolResultPart): void {
  const last = prompt.at(-1);
  if (last?.role === "tool") last.content.push(part);
  else prompt.push({ role: "tool", content: [part] });
}

/** PROMPT-3. */
function markForCache(prompt: LanguageModelV4Prompt, caches: SharedV4ProviderOptions): void {
  const systems = prompt.filter(({ role }) => role === "system");
  for (const message of [systems.at(-1), prompt.at(-1)])
    if (message !== undefined) message.providerOptions = caches;
}
