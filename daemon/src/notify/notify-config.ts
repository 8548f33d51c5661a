// `notify:` of config.yaml: who is told of what, and where. `publicUrl` is where links of answers lead.
//
//   publicUrl: https://aos.example.com
//   notify:
//     phone: { kind: telegram, token: TELEGRAM_TOKEN, chat: "1234", person: alice }
//     ops: { kind: slack, token: SLACK_TOKEN, channel: C0123, events: [failure, budget] }
//
// Secrets are names of the vault, bound to `notify:ROW`; none stands here.

import { DEFAULT_TENANT, isTenantName, secrecies, SysError } from "@aos/protocol";
import { z } from "zod";
import { durationField, some } from "../config-fields.ts";

export const notifyEvents = ["approval", "failure", "budget", "goal", "finished"] as const;
export type NotifyEvent = (typeof notifyEvents)[number];

const DAY_MS = 86_400_000;

const rowName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, "a row is named with a-z 0-9 . _ -");
const secretName = z.string().regex(/^[A-Z][A-Z0-9_]{0,62}$/, "the name of a secret in the vault");
const webAddress = z
  .url({ protocol: /^https?$/, error: "an address that begins with https:// or http://" })
  .max(2048);
const address = z
  .string()
  .max(320)
  .regex(/^[^\p{Cc}]*[^\s<>@]+@[^\s<>@]+>?$/u, "a mail address");
const tenantField = z.string().refine(isTenantName, "the name of a tenant").default(DEFAULT_TENANT);
/** Who answers by a link; a pid is nobody's name. */
const personField = z
  .string()
  .min(1)
  .max(100)
  .refine((name) => !name.startsWith("agt_") && name.trim() !== "", "a person, not a process");

const shared = {
  events: z.array(z.enum(notifyEvents)).min(1).default(["approval", "failure", "goal"]),
  tenant: tenantField,
  /** Only these agents. */
  agents: z.array(z.string().min(1).max(200)).min(1).optional(),
  /** Who reads there, and is recorded for answers by its links; without one it has no links. */
  person: personField.optional(),
  /** How long a link is good for. */
  linkFor: durationField.default(DAY_MS),
  /** Words that are more secret stay here: the notice says that there are some. */
  upTo: z.enum(secrecies).exclude(["secret"]).default("internal"),
  /** Beyond it an hour gets one line that there is more. */
  perHour: some.default(30),
  /** Tries before it is given up. */
  tries: some.default(12),
  /** The address is meant to be a private one. */
  private: z.boolean().default(false),
};

const mailFields = {
  host: z.string().regex(/^[A-Za-z0-9.:[\]-]{1,253}$/, "the name of a mail server"),
  port: z.number().int().min(1).max(65_535).default(587),
  security: z.enum(["starttls", "tls", "none"]).default("starttls"),
  user: z.string().min(1).max(200).optional(),
  password: secretName.optional(),
  from: address,
  /** A file with more authorities, in PEM; relative to the home. */
  ca: z.string().min(1).max(4096).optional(),
};

const SLACK_API = "https://slack.com/api";
const TELEGRAM_API = "https://api.telegram.org";

const chatId = z.union([z.int().transform(String), z.string().regex(/^(-?\d{1,20}|@\w{3,64})$/)]);
const slackService = { token: secretName, api: webAddress.default(SLACK_API) };
const telegramService = { token: secretName, api: webAddress.default(TELEGRAM_API) };

const slackRow = z.strictObject({
  kind: z.literal("slack"),
  ...shared,
  /** A bot's token, with `channel`; or in their place the secret with an incoming webhook's address. */
  token: secretName.optional(),
  channel: z.string().min(1).max(100).optional(),
  webhook: secretName.optional(),
  api: slackService.api,
});

const target = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("webhook"),
      ...shared,
      url: webAddress,
      /** It is signed with, as Standard Webhooks has it. */
      secret: secretName.optional(),
    }),
    z.strictObject({
      kind: z.literal("email"),
      ...shared,
      ...mailFields,
      to: z.array(address).min(1).max(20),
    }),
    slackRow,
    z.strictObject({ kind: z.literal("telegram"), ...shared, ...telegramService, chat: chatId }),
  ])
  .superRefine((row, context) => {
    const complain = (message: string) => context.addIssue({ code: "custom", message });
    if (row.kind === "slack" && (row.webhook === undefined) === (row.token === undefined))
      complain("give either `token` with `channel`, or `webhook`");
    if (row.kind === "slack" && (row.token === undefined) !== (row.channel === undefined))
      complain("`token` and `channel` belong together");
    if (row.kind === "email" && (row.user === undefined) !== (row.password === undefined))
      complain("`user` and `password` belong together");
  });

export const notifySection = {
  /** Where people reach this daemon: links of notifications begin with it. */
  publicUrl: webAddress.transform((url) => url.replace(/\/+$/, "")).optional(),
  notify: z.record(rowName, target).default({}),
};

export type NotifyRow = z.output<typeof target>;

/** With the name that it has. */
export type NotifyTarget = NotifyRow & { readonly name: string };

export const notifyTargets = (rows: Readonly<Record<string, NotifyRow>>): NotifyTarget[] =>
  Object.entries(rows).map(([name, row]) => ({ ...row, name }));

export const noTarget = (name: string): SysError =>
  new SysError("ENOENT", `unknown target ${name}`, {
    hint: "`aos notify ls` lists the rows of `notify:` in config.yaml",
  });
