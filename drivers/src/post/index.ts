// Post: the wire formats in which people are told and answer: webhook, mail, Slack and Telegram. A door of its own:
// nothing of it is loaded where nothing of it is configured.

export { agentWords, oneLineOf, type ChatReply, type Notice } from "./notice.ts";
export type { DeliveryResult, PostOptions } from "./http-post.ts";
export { sendWebhook } from "./webhook.ts";
export { replyOnSlack, sendSlack } from "./slack.ts";
export { replyOnTelegram, sendTelegram, telegramUpdates } from "./telegram.ts";
export { escapeHtml, noticeMail, replyMail } from "./mail-text.ts";
export { sendMail, type SmtpServer } from "./smtp.ts";
