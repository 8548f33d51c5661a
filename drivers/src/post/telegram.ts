// Telegram: sendMessage and getUpdates of the Bot API.
//
// TELEGRAM-1  No parse mode is used: nothing in a text is markup. Words of agents are marked as `pre`, by their place in
//     the text, so that no address among them becomes a link.
// TELEGRAM-2  The token is part of the address, and in no error.

import { type DeliveryResult, postJson, type PostOptions, resultOf } from "./http-post.ts";
import { agentWords, type ChatReply, type Notice } from "./notice.ts";

export interface TelegramTarget {
  readonly token: string;
  readonly api: string;
}

interface Said {
  readonly ok?: boolean;
  readonly description?: string;
  readonly error_code?: number;
  readonly parameters?: { readonly retry_after?: number };
  readonly result?: unknown;
}

interface TextEntity {
  readonly type: "pre" | "bold";
  readonly offset: number;
  readonly length: number;
}

const MOST = 4000;

export async function sendTelegram(
  notice: Notice,
  target: TelegramTarget & { readonly chat: string },
  means: PostOptions,
): Promise<DeliveryResult> {
  const { text, entities } = textOf(notice);
  const link_preview_options = { is_disabled: true };
  const message = { chat_id: target.chat, text, entities, link_preview_options };
  return call("sendMessage", message, target, means);
}

export async function replyOnTelegram(
  { text, place }: ChatReply,
  target: TelegramTarget,
  means: PostOptions,
): Promise<DeliveryResult> {
  const { chat, topic } = place;
  const message = {
    chat_id: chat,
    text: agentWords(text, MOST) || "(nothing)",
    link_preview_options: { is_disabled: true },
    ...(topic === undefined ? {} : { message_thread_id: Number(topic) }),
  };
  return call("sendMessage", message, target, means);
}

/** What came since `offset`; waits for `waitS` seconds where nothing has. */
export async function telegramUpdates(
  target: TelegramTarget,
  { offset, waitS }: { readonly offset: number | undefined; readonly waitS: number },
  means: PostOptions,
): Promise<DeliveryResult> {
  const asked = {
    timeout: waitS,
    limit: 50,
    allowed_updates: ["message"],
    ...(offset === undefined ? {} : { offset }),
  };
  return call("getUpdates", asked, target, { ...means, timeoutMs: (waitS + 20) * 1000 });
}

async function call(
  method: string,
  message: Readonly<Record<string, unknown>>,
  { token, api }: TelegramTarget,
  means: PostOptions,
): Promise<DeliveryResult> {
  const url = `${api}/bot${token}/${method}`;
  const reply = await postJson({ url, body: JSON.stringify(message) }, means);
  const result = resultOf(reply, "Telegram");
  if ("failed" in reply) return reply.failed;
  const said = (typeof reply.json === "object" ? reply.json : {}) as Said | null;
  if (result.ok && said?.ok === true) return { ok: true, answer: said.result };
  const seconds = said?.parameters?.retry_after;
  return {
    ok: false,
    isFinal: result.ok ? true : result.isFinal,
    why: `Telegram: ${String(said?.description ?? reply.status).slice(0, 200)}`,
    ...(result.ok ? {} : { ...waitOf(result.retryAfterMs) }),
    ...(typeof seconds === "number" ? waitOf(seconds * 1000) : {}),
  };
}

const waitOf = (ms: number | undefined) => (ms === undefined ? {} : { retryAfterMs: ms });

/** TELEGRAM-1. Places are counted as UTF-16 has them, like in JavaScript. */
function textOf(notice: Notice): { text: string; entities: TextEntity[] } {
  const entities: TextEntity[] = [{ type: "bold", offset: 0, length: notice.title.length }];
  const { facts, quoted, warning, link, command } = notice;
  const tail = [
    ...(link === undefined ? [] : ["", `Show and answer: ${link}`]),
    ...(command === undefined ? [] : ["", command]),
    `(${notice.id})`,
  ].join("\n");
  let text = [notice.title, ...facts.map(([name, value]) => `${name}: ${value}`)].join("\n");
  if (warning !== undefined) text += `\n\n⚠ ${warning}`;
  for (const [name, words] of quoted) {
    const room = MOST - text.length - tail.length - name.length - 10;
    if (room < 40) break;
    text += `\n\n${name}:\n`;
    const shown = words.length > room ? `${words.slice(0, room)} …` : words;
    if (shown.trim() !== "")
      entities.push({ type: "pre", offset: text.length, length: shown.length });
    text += shown;
  }
  return { text: `${text}\n${tail}`, entities };
}
