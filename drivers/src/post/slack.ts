// Slack: chat.postMessage with a bot's token, or an incoming webhook.
//
// SLACK-1  Words of agents are `plain_text`, and `&`, `<` and `>` are escaped wherever text is mrkdwn: they mention
//     nobody, link nowhere and look like no heading.

import { type DeliveryResult, postJson, type PostOptions, resultOf } from "./http-post.ts";
import type { ChatReply, Notice } from "./notice.ts";
import { agentWords } from "./notice.ts";

/** By its address alone, or by a bot's token and the channel that it writes to. */
export type SlackTarget =
  | { readonly webhook: string }
  | { readonly token: string; readonly channel: string; readonly api: string };

const MOST_BLOCK = 2900;
const MOST_BLOCKS = 40;

export async function sendSlack(
  notice: Notice,
  target: SlackTarget,
  means: PostOptions,
): Promise<DeliveryResult> {
  const blocks = blocksOf(notice);
  const text = mrkdwn(notice.title);
  const message = { text, blocks, unfurl_links: false, unfurl_media: false };
  if (!("webhook" in target)) return post({ channel: target.channel, ...message }, target, means);
  const body = JSON.stringify(message);
  return resultOf(await postJson({ url: target.webhook, body }, means), "Slack");
}

export async function replyOnSlack(
  { text, place }: ChatReply,
  target: { readonly token: string; readonly api: string },
  means: PostOptions,
): Promise<DeliveryResult> {
  const { channel, thread } = place;
  const words = agentWords(text, 12_000);
  const blocks = partsOf(words).map((part) => plainBlock(part));
  const message = {
    channel,
    text: mrkdwn(words.slice(0, MOST_BLOCK)),
    blocks,
    unfurl_links: false,
    unfurl_media: false,
  };
  return post(
    { ...message, ...(thread === undefined ? {} : { thread_ts: thread }) },
    target,
    means,
  );
}

/** What Slack says of its own failures that another try may mend. */
const PASSING = new Set([
  "ratelimited",
  "rate_limited",
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
]);

async function post(
  message: Readonly<Record<string, unknown>>,
  { token, api }: { readonly token: string; readonly api: string },
  means: PostOptions,
): Promise<DeliveryResult> {
  const headers = { authorization: `Bearer ${token}` };
  const body = JSON.stringify(message);
  const reply = await postJson({ url: `${api}/chat.postMessage`, body, headers }, means);
  const result = resultOf(reply, "Slack");
  if (!result.ok || "failed" in reply) return result;
  const { ok, error } = (reply.json ?? {}) as {
    ok?: boolean;
    error?: unknown;
  };
  if (ok === true) return { ok: true, answer: reply.json };
  const said = typeof error === "string" ? error.slice(0, 100) : "an answer that is none";
  return { ok: false, isFinal: !PASSING.has(said), why: `Slack: ${said}` };
}

function blocksOf(notice: Notice): unknown[] {
  const { facts, quoted, warning, link, command } = notice;
  const bold = `*${mrkdwn(notice.title)}*`;
  const blocks: unknown[] = [{ type: "section", text: { type: "mrkdwn", text: bold } }];
  if (facts.length > 0)
    blocks.push(plainBlock(facts.map(([name, value]) => `${name}: ${value}`).join("\n")));
  if (warning !== undefined)
    blocks.push({
      type: "section",
      text: { type: "mrkdwn", text: `:warning: ${mrkdwn(warning)}` },
    });
  for (const [name, text] of quoted) {
    blocks.push({ type: "context", elements: [{ type: "plain_text", text: `${name}:` }] });
    for (const part of partsOf(text)) blocks.push(plainBlock(part));
  }
  if (link !== undefined)
    blocks.push({
      type: "section",
      text: { type: "mrkdwn", text: `<${mrkdwn(link)}|Show and answer>` },
    });
  const last = command === undefined ? notice.id : `${command}  (${notice.id})`;
  blocks.push({ type: "context", elements: [{ type: "plain_text", text: last, emoji: false }] });
  return blocks.slice(0, MOST_BLOCKS);
}

/** SLACK-1. */
const plainBlock = (text: string) => ({
  type: "section",
  text: { type: "plain_text", text: text === "" ? " " : text, emoji: false },
});

/** SLACK-1. */
const mrkdwn = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const partsOf = (text: string): string[] => {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += MOST_BLOCK) parts.push(text.slice(at, at + MOST_BLOCK));
  return parts.length === 0 ? [""] : parts;
};
