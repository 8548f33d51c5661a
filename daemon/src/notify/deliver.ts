// Deliver: one notice to one target. Secrets come from the vault for this one row, and only for as long as it is sent.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  type DeliveryResult,
  type Notice,
  noticeMail,
  type PostOptions,
  sendMail,
  sendSlack,
  sendTelegram,
  sendWebhook,
  type SmtpServer,
} from "@aos/drivers/post";
import type { Kernel } from "@aos/kernel";
import { SysError } from "@aos/protocol";
import type { NotifyTarget } from "./notify-config.ts";

export interface DeliverParts {
  readonly kernel: Pick<Kernel, "serviceSecret">;
  readonly homeFolder: string;
}

export async function deliver(
  parts: DeliverParts,
  notice: Notice,
  target: NotifyTarget,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const means: PostOptions = { isPrivate: target.private, signal };
  const secret = (name: string) =>
    secretOf(parts.kernel, { name, tenant: target.tenant, service: `notify:${target.name}` });
  try {
    switch (target.kind) {
      case "webhook": {
        const key = target.secret === undefined ? {} : { key: await secret(target.secret) };
        return await sendWebhook(notice, { url: target.url, ...key }, means);
      }
      case "slack": {
        const { webhook, token, channel = "", api } = target;
        if (webhook !== undefined)
          return await sendSlack(notice, { webhook: await secret(webhook) }, means);
        return await sendSlack(notice, { token: await secret(token!), channel, api }, means);
      }
      case "telegram": {
        const { chat, api } = target;
        return await sendTelegram(notice, { token: await secret(target.token), chat, api }, means);
      }
      case "email": {
        const { from, to } = target;
        const server = await serverOf(target, parts.homeFolder, secret);
        return await sendMail(noticeMail(notice, { from, to }), { from, to }, server, means);
      }
    }
  } catch (error) {
    if (!(error instanceof SysError) || error.code === "ESTORE") throw error;
    return { ok: false, isFinal: false, why: error.message };
  }
}

type MailServer = Pick<
  Extract<NotifyTarget, { kind: "email" }>,
  "host" | "port" | "security" | "user" | "password" | "ca"
>;

export async function serverOf(
  { host, port, security, user, password, ca }: MailServer,
  homeFolder: string,
  secret: (name: string) => Promise<string>,
): Promise<SmtpServer> {
  return {
    host,
    port,
    security,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password: await secret(password) }),
    ...(ca === undefined ? {} : { ca: readFileSync(resolve(homeFolder, ca), "utf8") }),
  };
}

/** With the command that mends what is wrong with it. */
export async function secretOf(
  kernel: Pick<Kernel, "serviceSecret">,
  of: { readonly name: string; readonly tenant: string; readonly service: string },
): Promise<string> {
  try {
    return await kernel.serviceSecret(of);
  } catch (error) {
    if (!(error instanceof SysError) || error.code === "ESTORE") throw error;
    const tenant = of.tenant === "default" ? "" : ` --tenant ${of.tenant}`;
    throw new SysError("EACCES", `${error.message} (${of.name} for ${of.service})`, {
      hint: `aos secret set ${of.name} --for ${of.service}${tenant}`,
    });
  }
}
