// Opening: the first messages of a conversation: system prompt, project instructions and task.
//
// AGENT-OPENING-1  Instructions of a project (AGENTS.md) follow the manifest's system prompt, the nearest last.
// AGENT-OPENING-2  An input with exactly `text` and `attachments` is a message with files; any other input is its
//                  text or its JSON.

import type { Attachment, Json, JsonObject, Manifest, Message, Sys } from "@aos/protocol";
import type { AnswerForm } from "./answer-form.ts";
import { introduceSkills } from "./skill-card.ts";

/** The system prompt; undefined where there is nothing to say. */
export async function introduce(
  sys: Sys,
  manifest: Manifest,
  form: AnswerForm,
): Promise<string | undefined> {
  const instructions = (await sys.read("/self/instructions")) as readonly string[];
  const parts = [
    manifest.system,
    instructionsText(instructions),
    await introduceSkills(sys, manifest.skills),
    form.request,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** AGENT-OPENING-1. */
function instructionsText(texts: readonly string[]): string | undefined {
  if (texts.length === 0) return undefined;
  const intro =
    "These are the instructions of the project that you work in (AGENTS.md). Where two of them " +
    "disagree the later one counts, and what you are asked for counts above all of them.";
  return [intro, ...texts.map((text) => `<instructions>\n${text.trim()}\n</instructions>`)].join(
    "\n\n",
  );
}

/** Whether anything of its tasks may be shown again or kept (userland/src/memory); most agents pay nothing for it. */
export const remembers = ({ memory, capabilities }: Manifest): boolean =>
  memory !== undefined || capabilities.some((text) => text.startsWith("memory:/mem/episodic/"));

export const systemMessages = (text: string | undefined): Message[] =>
  text === undefined ? [] : [{ role: "system", content: text }];

/** Models refuse a conversation in which nobody says anything. */
const NO_INPUT = "Begin.";

export function requestMessage(input: Json): Message {
  if (!hasAttachments(input)) return { role: "user", content: requestText(input) };
  const { text = "", attachments } = input;
  return { role: "user", content: requestText(text), attachments: [...attachments] };
}

/** AGENT-OPENING-2. What an attachment must be is the gate's to say. */
function hasAttachments(input: Json): input is JsonObject & WithAttachments {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return false;
  const { text = "", attachments, ...others } = input;
  return typeof text === "string" && Array.isArray(attachments) && Object.keys(others).length === 0;
}

interface WithAttachments {
  readonly text?: string;
  readonly attachments: readonly Attachment[];
}

export function requestText(input: Json): string {
  if (input === null || input === undefined || input === "") return NO_INPUT;
  return typeof input === "string" ? input : JSON.stringify(input);
}
