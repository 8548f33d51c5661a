// Chat request: the body of a streamed chat completion, as text.
//
//   const requests = new ChatRequests({ model, provider, takes });
//   requests.bodyOf(fitting, names, { structured })
//
// CHAT-REQUEST-1  Tool results follow their calls directly; their files, which the wire format cannot carry there,
//     follow in a user message. Nothing is dropped silently.
// CHAT-REQUEST-2  The text of a message is built once for all its requests. Messages are identified as objects, which
//     are never changed (as in counting.ts), with their tools under the same names.
// CHAT-REQUEST-3  The limit of the answer is always sent.

import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { Json, Message, SyscallArgs } from "@aos/protocol";
import { partOf } from "./attachments.ts";
import { formOf, objectSchema, withSchemaInWords } from "./call-options.ts";
import { objectOf } from "./prompt.ts";
import { ownThoughts } from "./thoughts.ts";
import { type ToolNames, wireCallId } from "./tool-names.ts";
import type { VendorRequest } from "./vendors.ts";

type Request = SyscallArgs<"infer">;
type FileOrText = LanguageModelV4TextPart | LanguageModelV4FilePart;

interface About {
  /** The provider's name: whose thoughts go back to it. */
  readonly provider: string;
  readonly takes: RegExp;
}

interface Written {
  readonly text: string;
  /** Under which names its tools stand in it. */
  readonly tools: readonly (readonly [own: string, wire: string])[];
}

export class ChatRequests {
  readonly #about: About;
  readonly #messages = new WeakMap<Message, Written>();
  readonly #tools = new WeakMap<NonNullable<Request["tools"]>, Written>();

  constructor(about: About) {
    this.#about = about;
  }

  bodyOf(
    { request, model, maxTokens }: VendorRequest,
    names: ToolNames,
    { structured }: { readonly structured: boolean },
  ): string {
    const { temperature, effort, output, tools, toolChoice } = request;
    const asked = output === undefined || structured ? request : withSchemaInWords(request);
    const settings = JSON.stringify({
      model,
      max_tokens: maxTokens, // CHAT-REQUEST-3
      temperature,
      response_format: output === undefined ? undefined : formatOf(output, structured),
      reasoning_effort: effort,
    });
    const messages = this.#messagesOf(asked, names);
    const offered =
      tools === undefined || tools.length === 0
        ? ""
        : `,"tools":${this.#toolsOf(tools, names)}${
            toolChoice === undefined ? "" : `,"tool_choice":"${toolChoice}"`
          }`;
    return `${settings.slice(0, -1)},"messages":[${messages}]${offered},"stream":true,"stream_options":{"include_usage":true}}`;
  }

  #messagesOf({ model, messages }: Request, names: ToolNames): string {
    const texts: string[] = [];
    let pending: FileOrText[] = [];
    const flush = (): void => {
      if (pending.length > 0) texts.push(partsText(pending));
      pending = [];
    };
    for (const message of messages) {
      if (message.role !== "tool" && pending.length > 0) flush();
      const text = this.#textOf(message, names, model);
      if (text !== "") texts.push(text);
      const { attachments, toolCallId = "" } = message;
      if (message.role === "tool" && attachments !== undefined && attachments.length > 0)
        pending.push(
          { type: "text", text: `Files of the result of ${toolCallId}:` },
          ...attachments.map((each) => partOf(each, this.#about.takes, model)),
        );
    }
    flush();
    return texts.join(",");
  }

  /** CHAT-REQUEST-2. "" for a message that says nothing. */
  #textOf(message: Message, names: ToolNames, model: string): string {
    const known = this.#messages.get(message);
    if (known !== undefined && areSame(known.tools, names)) return known.text;
    const tools = (message.toolCalls ?? []).map(
      ({ tool }) => [tool, names.wire(tool)] as [string, string],
    );
    const text = this.#write(message, names, model);
    this.#messages.set(message, { text, tools });
    return text;
  }

  #write(message: Message, names: ToolNames, model: string): string {
    const { role, content, attachments = [], toolCallId = "" } = message;
    switch (role) {
      case "system":
        return JSON.stringify({ role, content });
      case "user":
        return attachments.length === 0
          ? JSON.stringify({ role, content: content === "" ? "(nothing)" : content })
          : partsText([
              { type: "text", text: content === "" ? "(attached)" : content },
              ...attachments.map((each) => partOf(each, this.#about.takes, model)),
            ]);
      case "assistant":
        return assistantText(message, this.#about.provider, names);
      case "tool":
        return JSON.stringify({
          role,
          tool_call_id: wireCallId(toolCallId),
          content: content === "" ? "(nothing)" : content,
        });
    }
  }

  #toolsOf(tools: NonNullable<Request["tools"]>, names: ToolNames): string {
    const known = this.#tools.get(tools);
    if (known !== undefined && areSame(known.tools, names)) return known.text;
    const text = JSON.stringify(
      tools.map(({ name, description, input }) => ({
        type: "function",
        function: { name: names.wire(name), description, parameters: objectSchema(input) },
      })),
    );
    const called = tools.map(({ name }) => [name, names.wire(name)] as [string, string]);
    this.#tools.set(tools, { text, tools: called });
    return text;
  }
}

const areSame = (tools: Written["tools"], names: ToolNames): boolean =>
  tools.every(([own, wire]) => names.wire(own) === wire);

function assistantText(message: Message, provider: string, names: ToolNames): string {
  const { content, toolCalls = [], reasoning } = message;
  const { spoken, sealed } = ownThoughts(reasoning, provider);
  const thought = spoken.map(({ text }) => text).join("");
  if (content === "" && toolCalls.length === 0 && spoken.length === 0) return "";
  const calls = toolCalls.map(({ id, tool, args }) => {
    const { [provider]: own, google } = sealed.get(id) ?? {};
    const signature = own?.["thoughtSignature"] ?? google?.["thoughtSignature"];
    return {
      id: wireCallId(id),
      type: "function",
      function: { name: names.wire(tool), arguments: JSON.stringify(objectOf(args)) },
      ...(typeof signature === "string" && signature !== ""
        ? { extra_content: { google: { thought_signature: signature } } }
        : {}),
    };
  });
  return JSON.stringify({
    role: "assistant",
    content: calls.length > 0 && content === "" ? null : content,
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  });
}

const partsText = (parts: readonly FileOrText[]): string =>
  JSON.stringify({ role: "user", content: parts.map(wirePart) });

/** What the vendor takes was looked at before (`takes` of its row). */
function wirePart(part: FileOrText): Json {
  if (part.type === "text") return { type: "text", text: part.text };
  const { mediaType, filename } = part;
  const data = (part.data as { readonly data: string }).data;
  if (mediaType.startsWith("audio/"))
    return {
      type: "input_audio",
      input_audio: { data, format: mediaType === "audio/wav" ? "wav" : "mp3" },
    };
  const url = `data:${mediaType};base64,${data}`;
  return mediaType.startsWith("image/")
    ? { type: "image_url", image_url: { url } }
    : { type: "file", file: { filename: filename ?? "document.pdf", file_data: url } };
}

function formatOf(output: NonNullable<Request["output"]>, structured: boolean): Json {
  if (!structured) return { type: "json_object" };
  const { schema, name } = formOf(output);
  return { type: "json_schema", json_schema: { schema: schema as Json, strict: true, name } };
}
