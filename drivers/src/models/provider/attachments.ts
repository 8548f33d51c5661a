// Attachments: images and files that are sent to a model.
//
// PROVIDER-ATTACHMENTS-1  Text goes as text to every vendor. A type that a vendor does not accept is refused before
//     anything is sent.

import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import { type Attachment, SysError } from "@aos/protocol";

const TEXTS =
  /^(text\/.*|application\/([\w.-]+\+)?(json|xml|yaml|toml|javascript|x-sh|x-ndjson|sql))$/;

export const isTextLike = (mediaType: string): boolean => TEXTS.test(mediaType);

/** A text with its name before it. */
export function attachmentText({ name, mediaType, data }: Attachment): string {
  const text = Buffer.from(data, "base64").toString("utf8");
  return `[${name ?? "attachment"}, ${mediaType}]\n${text}`;
}

export function partOf(
  attachment: Attachment,
  takes: RegExp,
  model: string,
): LanguageModelV4TextPart | LanguageModelV4FilePart {
  const { mediaType, data, name } = attachment;
  if (isTextLike(mediaType)) return { type: "text", text: attachmentText(attachment) };
  if (!takes.test(mediaType))
    throw new SysError("EINVAL", `${model} does not accept ${mediaType}`, {
      hint: "pass the content as text, or use another model",
    });
  return {
    type: "file",
    mediaType,
    data: { type: "data", data },
    ...(name === undefined ? {} : { filename: name }),
  };
}
